import { apiVersionOf, type ApiResponse, type Turns } from "@kedge/machinery";
import { inSteps, type Pause } from "../request/pause.ts";
import type { ResourceRequest } from "../request/resource-request.ts";
import { typeMetaOf } from "../storage/object-version.ts";
import { joined } from "../storage/stored-json.ts";
import { acceptsGzip, gzipped } from "./compress.ts";
import { listText, type ListText } from "./list-text.ts";
import type { Listing } from "./listing.ts";
import { headerOf } from "../request/header.ts";
import { mediaTypes } from "../request/negotiate.ts";
import { protobufList } from "./protobuf-list.ts";
import { bytesResponse } from "./responses.ts";
import { listTransform } from "./transform.ts";

/** A list is sent in pieces of about this size, or less when making them is more work than sending. */
const chunkBytes = 128 * 1024;

/** Answers with a list: at once when it is short, else piece by piece, as fast as the client reads. */
export async function listResponse(
  request: ResourceRequest,
  listing: Listing,
  turns: Turns,
): Promise<ApiResponse> {
  const { mediaType, chunks } = encodedList(request, listing, turns);
  const first = await chunks.next();
  const second = await chunks.next();
  const headers = { "content-type": mediaType };
  if (second.done === true) return bytesResponse(200, first.value ?? new Uint8Array(), headers);
  const body = continued([first.value ?? new Uint8Array(), second.value], chunks);
  const streamed = { "cache-control": "no-cache, private", ...headers };
  if (!acceptsGzip(headerOf(request.headers, "accept-encoding")))
    return { status: 200, headers: streamed, body };
  return {
    status: 200,
    headers: { ...streamed, "content-encoding": "gzip", vary: "Accept-Encoding" },
    body: gzipped(body),
  };
}

function encodedList(
  request: ResourceRequest,
  listing: Listing,
  turns: Turns,
): { readonly mediaType: string; readonly chunks: AsyncGenerator<Uint8Array, undefined> } {
  if (request.form.encoding === "protobuf")
    return { mediaType: mediaTypes.protobuf, chunks: protobufList(request, listing, turns) };
  const text = textOf(request, listing);
  return { mediaType: text.mediaType, chunks: chunksOf(listing, text, { turns, pause: request.pause }) };
}

const openBrace = Buffer.from("{");

/** How the list is written in the form that the client accepts. */
function textOf(request: ResourceRequest, { metadata }: Listing): ListText {
  const { form, resource } = request;
  if (form.as !== undefined) {
    const { shell, item } = listTransform(request, { as: form.as, metadata: { ...metadata } });
    return listText(form, { shell, item: (version) => item(version.inPassing(resource).object) });
  }
  const isCustom = resource.custom !== undefined;
  // Lists of custom resources say that nothing comes, where others say nothing.
  const shown = isCustom ? { continue: "", ...metadata } : metadata;
  const shell = { kind: resource.listKind, apiVersion: apiVersionOf(resource), metadata: shown, items: [] };
  return listText(form, {
    shell,
    // Items of built-in kinds do not say what they are.
    json: (version) => [isCustom ? typeMetaOf(resource) : openBrace, ...version.inPassing(resource).body],
    item: (version) => {
      const { object } = version.inPassing(resource);
      if (isCustom) return object;
      const { apiVersion: _, kind: __, ...rest } = object;
      return rest;
    },
  });
}

async function* chunksOf(
  { versions, matches }: Listing,
  text: ListText,
  { turns, pause }: { readonly turns: Turns; readonly pause: Pause },
): AsyncGenerator<Uint8Array, undefined> {
  let pieces = [text.head];
  let bytes = 0;
  let isFirst = true;
  for (const version of versions) {
    if (bytes > chunkBytes) {
      if (pieces.length > 0) yield joined(pieces);
      pieces = [];
      bytes = 0;
      await turns.next();
    }
    bytes += version.size + perItem;
    if (!matches(version)) continue;
    const written = text.item(version, isFirst);
    for (const piece of "next" in written ? await inSteps(written, pause) : written) pieces.push(piece);
    isFirst = false;
  }
  pieces.push(text.tail(isFirst));
  yield joined(pieces);
  return undefined;
}

/** Small objects are work, too: in bytes. */
const perItem = 256;

async function* continued(
  begun: readonly Uint8Array[],
  rest: AsyncGenerator<Uint8Array, undefined>,
): AsyncGenerator<Uint8Array> {
  yield* begun;
  yield* rest;
}
