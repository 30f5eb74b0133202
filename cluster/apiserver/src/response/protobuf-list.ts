import { apiVersionOf, type Turns } from "@kedge/machinery";
import { builtinEncoder, envelopeEnd, envelopeStart, WireWriter } from "../protobuf/index.ts";
import type { ResourceRequest } from "../request/resource-request.ts";
import type { ObjectVersion } from "../storage/object-version.ts";
import { joined } from "../storage/stored-json.ts";
import type { Listing } from "./listing.ts";
import { listTransform } from "./transform.ts";

/** So many bytes of stored objects are encoded, or sent, before others have their turn. */
const sliceBytes = 128 * 1024;
/** Small objects are work, too: in bytes. */
const perItem = 256;
/** Of so many bytes it is kept what was encoded to find their length. What is more is encoded again to be sent. */
const keptBytes = 4 * 1024 * 1024;

/**
 * A list in protobuf, piece by piece. A message begins with its length: so all items are encoded once before the first
 * byte is sent, and what a slow client has yet to read is not held for it, but for the first few megabytes.
 */
export async function* protobufList(
  request: ResourceRequest,
  { versions, matches, metadata }: Listing,
  turns: Turns,
): AsyncGenerator<Uint8Array, undefined> {
  const { type, item } = listWriter(request);
  const shell = builtinEncoder().message(type, { metadata }) ?? new Uint8Array();
  const items: { readonly version: ObjectVersion; readonly message: Uint8Array | undefined }[] = [];
  const slices = new Slices(turns);
  let length = shell.length;
  let kept = 0;
  for (const version of versions) {
    await slices.add(version.size + perItem);
    if (!matches(version)) continue;
    const message = item(version);
    length += itemHead(message.length).length + message.length;
    kept += message.length;
    items.push({ version, message: kept <= keptBytes ? message : undefined });
  }
  let pieces = [envelopeStart({ apiVersion: apiVersionOf(type), kind: type.kind }, length), shell];
  let bytes = 0;
  for (const { version, message = item(version) } of items) {
    pieces.push(itemHead(message.length), message);
    bytes += message.length + perItem;
    if (bytes <= sliceBytes) continue;
    yield joined(pieces);
    pieces = [];
    bytes = 0;
    await turns.next();
  }
  yield joined([...pieces, envelopeEnd]);
  return undefined;
}

/** Counts the work since others had their turn. */
class Slices {
  readonly #turns: Turns;
  #bytes = 0;

  constructor(turns: Turns) {
    this.#turns = turns;
  }

  async add(bytes: number): Promise<void> {
    this.#bytes += bytes;
    if (this.#bytes <= sliceBytes) return;
    this.#bytes = 0;
    await this.#turns.next();
  }
}

interface ListWriter {
  readonly type: { readonly group: string; readonly version: string; readonly kind: string };
  readonly item: (version: ObjectVersion) => Uint8Array;
}

function listWriter(request: ResourceRequest): ListWriter {
  const { form, resource } = request;
  const { group, version: apiVersion, listKind } = resource;
  if (form.as === undefined) {
    const type = { group, version: apiVersion, kind: listKind };
    return { type, item: (version) => version.inPassing(resource).message };
  }
  const { item } = listTransform(request, { as: form.as, metadata: {} });
  const partial = { group: "meta.k8s.io", version: form.as.version };
  return {
    type: { ...partial, kind: "PartialObjectMetadataList" },
    item: (version) => {
      const shown = item(version.inPassing(resource).object);
      const message = builtinEncoder().message({ ...partial, kind: "PartialObjectMetadata" }, shown);
      return message ?? new Uint8Array();
    },
  };
}

/** What comes before an item: its field's number and its length. */
function itemHead(length: number): Uint8Array {
  const writer = new WireWriter(16);
  writer.varint(length);
  writer.tag(2, 2);
  return writer.take();
}
