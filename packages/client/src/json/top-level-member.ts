import {
  bytesEqual,
  closeBrace,
  closeBracket,
  colon,
  endOfString,
  openBrace,
  openBracket,
  quote,
  skipSpace,
} from "./json-bytes.ts";

/** Index of the first byte of the value of a member of the outermost object, or -1 when it is not (yet) there. */
export function topLevelMember(bytes: Uint8Array, key: Uint8Array): number {
  let depth = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === openBrace || byte === openBracket) depth++;
    else if (byte === closeBrace || byte === closeBracket) depth--;
    else if (byte === quote) {
      const first = i + 1;
      i = endOfString(bytes, first);
      if (i === -1) return -1;
      if (depth !== 1 || !bytesEqual(bytes, first, i, key)) continue;
      const afterKey = skipSpace(bytes, i + 1);
      // A value may happen to read like the key; only keys are followed by a colon.
      if (bytes[afterKey] !== colon) continue;
      const value = skipSpace(bytes, afterKey + 1);
      return value < bytes.length ? value : -1;
    }
  }
  return -1;
}
