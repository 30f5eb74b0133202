import {
  bytesEqual,
  closeBrace,
  comma,
  endOfNested,
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
  let expectKey = true;
  let isMetadata = false;
  let i = start + 1;
  while (i < bytes.length) {
    const byte = bytes[i];
    if (byte === quote) {
      const end = endOfString(bytes, i + 1);
      if (end === -1) return;
      if (expectKey) isMetadata = bytesEqual(bytes, i + 1, end, metadataKey);
      expectKey = false;
      i = end + 1;
    } else if (byte === openBrace || byte === openBracket) {
      i = isMetadata && byte === openBrace ? scanMetadata(bytes, i, scan) : endOfNested(bytes, i);
      if (i === -1) return;
    } else if (byte === closeBrace) {
      scan.end = i + 1;
      return;
    } else {
      if (byte === comma) expectKey = true;
      i++;
    }
  }
}

/** Walks over the metadata at `start` and marks managedFields. Index after its closing brace, or -1. */
function scanMetadata(bytes: Uint8Array, start: number, scan: ObjectScan): number {
  let expectKey = true;
  let lastComma = -1;
  let cutStart = -1;
  let i = start + 1;
  while (i < bytes.length) {
    const byte = bytes[i];
    if (byte === quote) {
      const end = endOfString(bytes, i + 1);
      if (end === -1) return -1;
      if (expectKey && bytesEqual(bytes, i + 1, end, managedFieldsKey)) cutStart = i;
      expectKey = false;
      i = end + 1;
    } else if (byte === openBrace || byte === openBracket) {
      i = endOfNested(bytes, i);
      if (i === -1) return -1;
    } else if (byte === closeBrace) {
      // As the last member it goes with the comma before it.
      if (cutStart !== -1) mark(scan, lastComma === -1 ? cutStart : lastComma, i);
      return i + 1;
    } else {
      if (byte === comma) {
        if (cutStart !== -1) mark(scan, cutStart, i + 1);
        else lastComma = i;
        cutStart = -1;
        expectKey = true;
      }
      i++;
    }
  }
  return -1;
}

function mark(scan: ObjectScan, from: number, to: number): void {
  scan.cutFrom = from;
  scan.cutTo = to;
}
