import { badRequest, expired, StatusError, type ListMeta, resourceVersion } from "@kedge/machinery";
import { statusOfStoreError } from "../storage/store-status.ts";
import { StoreError } from "@kedge/store";
import type { Core } from "../core.ts";
import type { ResourceRequest } from "../request/resource-request.ts";
import type { Listing } from "../response/listing.ts";
import { listOptions, type ListOptions } from "../request/list-options.ts";
import { revisionFault, tooLarge } from "../request/revision.ts";
import { convertVersions } from "../storage/convert-versions.ts";
import { prefixFor } from "../storage/keys.ts";
import type { ObjectVersion } from "../storage/object-version.ts";
import type { Listed } from "../storage/resource-cache.ts";
import { decodeContinue, encodeContinue } from "./continue-token.ts";

/** Lists a collection as its query asks. Throws a `StatusError`. */
export async function list(
  { storage, turns }: ListCore,
  { resource, namespace, query }: ResourceRequest,
): Promise<Listing> {
  return await listWith({ storage, turns, resource, namespace }, listOptions(query, resource, false));
}

/** The parts of a server that a list needs. */
export type ListCore = Pick<Core, "storage" | "turns">;
type Collection = ListCore & Pick<ResourceRequest, "resource" | "namespace">;

async function listWith(collection: Collection, options: ListOptions): Promise<Listing> {
  const { storage, resource, namespace } = collection;
  const prefix = prefixFor(resource, namespace);
  const fault = revisionFault(options.resourceVersion);
  if (fault !== undefined) throw badRequest(`invalid resource version: ${fault}`);
  const asked = Number(options.resourceVersion);
  if (options.continue !== "") return await nextPage(collection, options, prefix);
  const newest = await storage.asNewAs(options.resourceVersion);
  if (asked > newest) throw tooLarge(options.resourceVersion, newest);
  if (options.match === "Exact") {
    const all = await rangeAt(collection, { prefix, revision: asked, limit: pageLimit(options) });
    return await page(collection, options, { all, revision: asked, prefix });
  }
  const { revision } = storage;
  const all = storage.cache(resource.storage).list(prefix);
  return await page(collection, options, { all, revision, prefix });
}

async function nextPage(collection: Collection, options: ListOptions, prefix: string): Promise<Listing> {
  const { storage, resource } = collection;
  const token = decodeContinue(options.continue);
  if (options.resourceVersion !== "" && options.resourceVersion !== "0")
    throw badRequest("specifying resource version is not allowed when using continue");
  const from = `${prefix}${token.start}`;
  if (token.revision < 0) {
    await storage.current();
    const all = storage.cache(resource.storage).list(prefix, from);
    return await page(collection, options, { all, revision: storage.revision, prefix });
  }
  const { revision, start } = token;
  const all = await rangeAt(collection, { prefix, from, revision, start, limit: pageLimit(options) });
  return await page(collection, options, { all, revision, prefix });
}

interface Range {
  readonly prefix: string;
  readonly from?: string;
  readonly revision: number;
  /** Of a continue token. */
  readonly start?: string;
  /** So many are enough. */
  readonly limit: number | undefined;
}

/** How many a page shows at most; undefined when it may have to look at more than it shows. */
function pageLimit({ limit, selection }: ListOptions): number | undefined {
  return limit > 0 && selection.isEverything ? limit : undefined;
}

/** The objects of a collection as they were at a revision; those that are the same still share what is decoded. */
async function rangeAt(
  collection: Collection,
  { prefix, from = prefix, revision, start, limit }: Range,
): Promise<Listed> {
  const { storage, resource } = collection;
  const cache = storage.cache(resource.storage);
  if (revision === storage.revision) return cache.list(prefix, from);
  try {
    const end = `${prefix.slice(0, -1)}0`;
    const options = limit === undefined ? { revision } : { revision, limit };
    const { items, count } = await storage.store.range({ start: from, end }, options);
    const versions = items.map((item) => {
      const cached = cache.get(item.key);
      return cached?.revision === item.modRevision ? cached : storage.versionOf(item);
    });
    return { count, versions };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    if (error.code === "FUTURE_REVISION") throw tooLarge(revision, await storage.store.revision());
    if (error.code !== "COMPACTED") throw statusOfStoreError(error);
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
  readonly all: Listed;
  readonly revision: number;
  readonly prefix: string;
}

/** So many bytes of objects are looked at before the event loop goes round. */
const sliceBytes = 256 * 1024;

async function page(
  { turns, resource }: Collection,
  { selection, limit }: ListOptions,
  { all, revision, prefix }: Found,
): Promise<Listing> {
  await convertVersions(all.versions, resource);
  const metadata: ListMeta = { resourceVersion: resourceVersion(String(revision)) };
  const matches = (version: ObjectVersion): boolean =>
    selection.isEverything ||
    (version.contains(selection.traces) && selection.matches(version.inPassing(resource).object));
  if (limit === 0) return { versions: all.versions, matches, metadata };
  // What a page says of the next comes before its items.
  const versions: ObjectVersion[] = [];
  let read = 0;
  let bytes = 0;
  for (const version of all.versions) {
    if (versions.length === limit) break;
    read++;
    bytes += selection.isEverything ? 0 : version.size;
    if (matches(version)) versions.push(version);
    if (bytes > sliceBytes) {
      bytes = 0;
      await turns.next();
    }
  }
  const last = versions.at(-1);
  const listing = { versions, matches: () => true, metadata };
  if (read === all.count || last === undefined) return listing;
  metadata.continue = encodeContinue({ revision, start: `${last.key.slice(prefix.length)}\0` });
  if (selection.isEverything) metadata.remainingItemCount = all.count - read;
  return listing;
}
