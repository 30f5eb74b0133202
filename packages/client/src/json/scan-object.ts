import {
  bytesEqual,
  closeBrace,
  closeBracket,
  comma,
  endOfString,
  openBrace,
  openBracket,
  quote,
} from "./json-bytes.ts";

/** What is found while looking for the end of a JSON object. Reused between calls: no allocation per object. */
export interface ObjectScan {
  /** Index after the closing brace, or -1 when the bytes end before it. */
  end: number;
  /** First and last (exclusive) byte of the `managedFields` member with one of its commas; -1 when there is none. */
  cutFrom: number;
  cutTo: number;
}

const metadataKey = new TextEncoder().encode("metadata");
const managedFieldsKey = new TextEncoder().encode("managedFields");

/**
 * Walks over one JSON object, which begins at `start`, without making anything of it. On the way it marks
 * `metadata.managedFields` (only the object's own, never that of an embedded object), so that it can be left out
 * before the text becomes objects: parsed, it costs more memory than the rest.
 * The bytes must be well-formed JSON; what is not will be found by the parser afterwards.
 */
export function scanObject(bytes: Uint8Array, start: number, scan: ObjectScan): void {
  scan.end = -1;
  scan.cutFrom = -1;
  scan.cutTo = -1;
  const length = bytes.length;
  let depth = 0;
  /** True where a string is a key: only tracked at depths 1 and 2, which are objects when it matters. */
  let expectKey = false;
  let metadataNext = false;
  let inMetadata = false;
  let lastComma = -1;
  let cutStart = -1;
  for (let i = start; i < length; i++) {
    const byte = bytes[i];
    if (byte === quote) {
      const first = i + 1;
      i = endOfString(bytes, first);
      if (i === -1) return;
      if (expectKey) {
        expectKey = false;
        if (depth === 1) metadataNext = bytesEqual(bytes, first, i, metadataKey);
        else if (inMetadata && depth === 2 && bytesEqual(bytes, first, i, managedFieldsKey))
          cutStart = first - 1;
      }
    } else if (byte === openBrace || byte === openBracket) {
      depth++;
      expectKey = byte === openBrace && depth <= 2;
      if (depth === 2) {
        inMetadata = metadataNext && byte === openBrace;
        lastComma = -1;
      }
    } else if (byte === closeBrace || byte === closeBracket) {
      if (depth === 2 && cutStart !== -1) {
        // Last member: its leading comma goes with it.
        scan.cutFrom = lastComma === -1 ? cutStart : lastComma;
        scan.cutTo = i;
        cutStart = -1;
      }
      depth--;
      if (depth === 1) inMetadata = false;
      if (depth === 0) {
        scan.end = i + 1;
        return;
      }
    } else if (byte === comma && depth <= 2) {
      if (depth === 2 && cutStart !== -1) {
        scan.cutFrom = cutStart;
        scan.cutTo = i + 1;
        cutStart = -1;
      } else if (depth === 2) lastComma = i;
      expectKey = depth === 1 || inMetadata;
    }
  }
}
