import { expired, methodNotSupported, type ApiResponse } from "@kedge/machinery";
import type { Core } from "../core.ts";
import type { ResourceRequest } from "../request/resource-request.ts";
import { badRequest } from "@kedge/machinery";
import { listOptions, type ListOptions } from "../request/list-options.ts";
import { mediaTypes } from "../request/negotiate.ts";
import { revisionOf } from "../request/revision.ts";
import { selectionOfName } from "../request/selection.ts";
import { eventWriter } from "../response/event-writer.ts";
import { convertVersions } from "../storage/convert-versions.ts";
import { prefixFor } from "../storage/keys.ts";
import type { ObjectVersion } from "../storage/object-version.ts";
import type { ResourceCache } from "../storage/resource-cache.ts";
import { WatchStream } from "./watch-stream.ts";

/** Watches end by themselves after a time between this and twice this, in seconds, unless they say otherwise. */
const defaultTimeout = 1800;

/** The parts of a server that a watch needs. */
export type WatchCore = Pick<Core, "storage" | "registry" | "clock" | "turns" | "random">;

/** Opens a watch of a collection, or by the old paths of one object. Throws a `StatusError`. */
export async function watch(core: WatchCore, request: ResourceRequest): Promise<ApiResponse> {
  const { resource } = request;
  if (!resource.verbs.includes("watch")) throw methodNotSupported(resource, "watch");
  const options = ofOneName(request, listOptions(request.query, resource, true));
  const asked = revisionOf(options.resourceVersion);
  const { storage } = core;
  const cache = storage.cache(resource.storage);
  const prefix = prefixFor(resource, request.namespace);
  const writer = eventWriter(request);
  const start = await startOf(storage, options, { asked, prefix, cache });
  if (start === undefined) {
    const error = expired(`too old resource version: ${asked} (${cache.oldest + 1})`);
    return streamResponse(request, single(writer.error(error.status)));
  }
  await convertVersions(start.initial, resource);
  const stream = new WatchStream({
    storage,
    cache,
    clock: core.clock,
    turns: core.turns,
    resource,
    prefix,
    selection: options.selection,
    writer,
    ...start,
    initialBookmark: options.sendInitialEvents === true && options.allowBookmarks,
    bookmarks: options.allowBookmarks,
    timeout: timeoutOf(core, options) * 1000,
    signal: request.signal,
    onUnserved: (end) =>
      core.registry.onChange(() => {
        if (core.registry.resource(resource.group, resource.version, resource.plural) === undefined) end();
      }),
  });
  return streamResponse(request, stream);
}

interface Start {
  readonly initial: Iterable<ObjectVersion>;
  readonly place: number;
  readonly after: number;
}

/** Where the watch begins; undefined when that is forgotten. */
async function startOf(
  storage: Core["storage"],
  { resourceVersion: sent, sendInitialEvents }: ListOptions,
  { asked, prefix, cache }: { asked: number; prefix: string; cache: ResourceCache },
): Promise<Start | undefined> {
  const showsAll = sendInitialEvents ?? (sent === "" || asked === 0);
  if (!showsAll && asked > 0) {
    // Another server on the same store may have told of it first.
    if (asked > storage.revision) await storage.current();
    const place = cache.placeAfter(asked);
    return place === undefined ? undefined : { initial: [], place, after: asked };
  }
  await storage.asNewAs(sent);
  const after = storage.revision;
  const place = cache.placeAfter(after) ?? 0;
  const initial = showsAll ? cache.list(prefix).versions : [];
  return { initial, place, after: Math.max(after, 0) };
}

function ofOneName({ name }: ResourceRequest, options: ListOptions): ListOptions {
  if (name === "") return options;
  const { selection } = options;
  if (selection.name !== undefined && selection.name !== name)
    throw badRequest("fieldSelector metadata.name doesn't match requested name");
  return { ...options, selection: selectionOfName(selection, name) };
}

function timeoutOf({ random }: WatchCore, { timeoutSeconds }: ListOptions): number {
  if (timeoutSeconds !== undefined && timeoutSeconds > 0) return timeoutSeconds;
  return defaultTimeout + random.int(defaultTimeout);
}

function streamResponse({ form }: ResourceRequest, body: AsyncIterable<Uint8Array>): ApiResponse {
  const type = form.encoding === "protobuf" ? `${mediaTypes.protobuf};stream=watch` : mediaTypes.json;
  return {
    status: 200,
    headers: { "cache-control": "no-cache, private", "content-type": type },
    body,
  };
}

async function* single(line: Uint8Array): AsyncGenerator<Uint8Array> {
  yield line;
}
