import { isJsonObject, parseJsonExactly, type JsonObject } from "@kedge/machinery";

/** Where the metadata of an object is in its stored JSON: the comma before it, and the brace that closes it. */
export interface MetadataPlace {
  readonly start: number;
  readonly end: number;
}

/** Undefined when the JSON is not as `encodeForStore` writes it. */
export function metadataIn(bytes: Uint8Array): MetadataPlace | undefined {
  const stored = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const start = stored.subarray(0, headLimit).indexOf(metadataStart);
  if (start === -1 || !head.test(stored.toString("latin1", 0, start))) return undefined;
  const end = endOfObject(stored, start + metadataStart.length - 1);
  // Empty metadata would need no comma; there is none without a name.
  return end === undefined || end === start + metadataStart.length ? undefined : { start, end };
}

/**
 * What is served of an object whose kind is served as it is stored, without decoding it: its stored JSON without
 * kind and apiVersion, and with its resourceVersion as the last field of metadata; all but the brace that opens it. The
 * same bytes as encoding the decoded object gives.
 */
export function storedBody(
  bytes: Uint8Array,
  { start, end }: MetadataPlace,
  revision: number,
): readonly Uint8Array[] {
  return [
    bytes.subarray(start + 1, end),
    Buffer.from(`,"resourceVersion":"${revision}"`),
    bytes.subarray(end),
  ];
}

/** What is stored in front of the metadata, for the server alone: one field with a text. */
export function hiddenIn(bytes: Uint8Array): Readonly<JsonObject> | undefined {
  const stored = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).subarray(0, headLimit);
  const start = stored.indexOf(metadataStart);
  const found = head.exec(stored.toString("latin1", 0, Math.max(start, 0)))?.groups?.["hidden"];
  const hidden = found === undefined ? undefined : parseJsonExactly(found);
  return isJsonObject(hidden) ? hidden : undefined;
}

/** The texts, as JSON writes them, that come after a mark which ends with the quote that opens them. */
export function textsAfter(bytes: Uint8Array, mark: Buffer): readonly string[] {
  const stored = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const texts: string[] = [];
  for (let at = stored.indexOf(mark); at !== -1; at = stored.indexOf(mark, at)) {
    const start = at + mark.length;
    at = endOfString(stored, start - 1);
    texts.push(stored.toString("utf8", start, at));
  }
  return texts;
}

/** Pieces as one. */
export function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const [only] = pieces;
  return pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces);
}

const headLimit = 1024;
const metadataStart = Buffer.from(',"metadata":{');
const head = /^\{"kind":"[^"\\]*","apiVersion":"[^"\\]*"(?:,"hidden":(?<hidden>\{"[^"\\]*":"[^"\\]*"\}))?$/u;

const quote = 0x22;
const backslash = 0x5c;
const open = 0x7b;
const close = 0x7d;

/** The place of the brace that closes the one at `from`. */
function endOfObject(json: Buffer, from: number): number | undefined {
  let depth = 0;
  for (let at = from; at < json.length; at++) {
    const byte = json[at];
    if (byte === quote) at = endOfString(json, at);
    else if (byte === open) depth++;
    else if (byte === close && --depth === 0) return at;
  }
  return undefined;
}

/** The place of the quote that closes the one at `from`. */
function endOfString(json: Buffer, from: number): number {
  for (let at = from + 1; at < json.length; at++) {
    if (json[at] === backslash) at++;
    else if (json[at] === quote) return at;
  }
  return json.length;
}
