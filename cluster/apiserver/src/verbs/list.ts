import { badRequest, expired, StatusError, type ListMeta, resourceVersion } from "@kedge/machinery";
import { StoreError } from "@kedge/store";
import type { Ask } from "../request/ask.ts";
import { listOptions, type ListOptions } from "../request/list-options.ts";
import { revisionFault, tooLarge } from "../request/revision.ts";
import { prefixFor } from "../storage/keys.ts";
import type { ObjectVersion } from "../storage/object-version.ts";
import { versionOf } from "../storage/storage.ts";
import { decodeContinue, encodeContinue } from "./continue-token.ts";

/** A list that was found. */
export interface Listing {
  readonly items: readonly ObjectVersion[];
  readonly metadata: ListMeta;
}

/** Lists a collection as its query asks. Throws a `StatusError`. */
export async function list(ask: Ask): Promise<Listing> {
  return await listWith(ask, listOptions(ask.query, ask.resource, false));
}

/** Lists a collection. */
async function listWith(ask: Ask, options: ListOptions): Promise<Listing> {
  const { core, resource, namespace } = ask;
  const { storage } = core;
  const prefix = prefixFor(resource, namespace);
  const fault = revisionFault(options.resourceVersion);
  if (fault !== undefined) throw badRequest(`invalid resource version: ${fault}`);
  const asked = Number(options.resourceVersion);
  if (options.continue !== "") return await nextPage(ask, options, prefix);
  if (asked > storage.store.revision()) throw tooLarge(asked, storage.store.revision());
  if (options.match === "Exact") {
    return page(ask, options, {
      all: await rangeAt(ask, { prefix, revision: asked }),
      revision: asked,
      prefix,
    });
  }
  await storage.current();
  const revision = storage.revision;
  return page(ask, options, { all: storage.cache(resource.storage).list(prefix), revision, prefix });
}

async function nextPage(ask: Ask, options: ListOptions, prefix: string): Promise<Listing> {
  const { storage } = ask.core;
  const token = decodeContinue(options.continue);
  if (options.resourceVersion !== "" && options.resourceVersion !== "0")
    throw badRequest("specifying resource version is not allowed when using continue");
  const from = `${prefix}${token.start}`;
  if (token.revision < 0) {
    await storage.current();
    const all = storage.cache(ask.resource.storage).list(prefix, from);
    return page(ask, options, { all, revision: storage.revision, prefix });
  }
  const all = await rangeAt(ask, { prefix, from, revision: token.revision, start: token.start });
  return page(ask, options, { all, revision: token.revision, prefix });
}

interface Range {
  readonly prefix: string;
  readonly from?: string;
  readonly revision: number;
  /** Of a continue token. */
  readonly start?: string;
}

/** The objects of a collection as they were at a revision; those that are the same still share what is decoded. */
async function rangeAt(
  ask: Ask,
  { prefix, from = prefix, revision, start }: Range,
): Promise<ObjectVersion[]> {
  const { storage } = ask.core;
  const cache = storage.cache(ask.resource.storage);
  if (revision === storage.revision && storage.revision === storage.store.revision())
    return cache.list(prefix, from);
  try {
    const end = `${prefix.slice(0, -1)}0`;
    const { items } = await storage.store.range({ start: from, end }, { revision });
    return items.map((item) => {
      const cached = cache.get(item.key);
      return cached?.revision === item.modRevision ? cached : versionOf(item);
    });
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    if (error.code === "FUTURE_REVISION") throw tooLarge(revision, storage.store.revision());
    if (error.code !== "COMPACTED") throw error;
    throw start === undefined
      ? expired("The resourceVersion for the provided list is too old.")
      : expiredToken(start);
  }
}

/** 410 with a token that goes on from there in the newest state. */
function expiredToken(start: string): StatusError {
  const { status } = expired(
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.",
  );
  return new StatusError({ ...status, metadata: { continue: encodeContinue({ revision: -1, start }) } });
}

interface Found {
  readonly all: readonly ObjectVersion[];
  readonly revision: number;
  readonly prefix: string;
}

function page(
  { resource }: Ask,
  { selection, limit }: ListOptions,
  { all, revision, prefix }: Found,
): Listing {
  const items: ObjectVersion[] = [];
  let read = 0;
  for (const version of all) {
    if (limit > 0 && items.length === limit) break;
    read++;
    if (selection.isEverything || selection.matches(version.as(resource).object)) items.push(version);
  }
  const metadata: ListMeta = { resourceVersion: resourceVersion(String(revision)) };
  const last = items.at(-1);
  if (read === all.length || last === undefined) return { items, metadata };
  metadata.continue = encodeContinue({ revision, start: `${last.key.slice(prefix.length)}\0` });
  if (selection.isEverything) metadata.remainingItemCount = all.length - read;
  return { items, metadata };
}
