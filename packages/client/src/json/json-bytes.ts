/** The bytes that give JSON its structure. */
export const quote = 0x22;
export const comma = 0x2c;
export const colon = 0x3a;
export const openBracket = 0x5b;
export const backslash = 0x5c;
export const closeBracket = 0x5d;
export const openBrace = 0x7b;
export const closeBrace = 0x7d;

/** Index of the closing quote of a string whose first character is at `start`, or -1. */
export function endOfString(bytes: Uint8Array, start: number): number {
  for (let i = start; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === quote) return i;
    if (byte === backslash) i++;
  }
  return -1;
}

/** Index after the bracket or brace that closes the one at `start`, or -1. The hot loop of reading lists. */
export function endOfNested(bytes: Uint8Array, start: number): number {
  const { length } = bytes;
  let depth = 0;
  let i = start;
  while (i < length) {
    const byte = bytes[i];
    i++;
    if (byte === quote) {
      // As endOfString, written out: a call for each string would double the time.
      while (i < length) {
        const inside = bytes[i];
        i++;
        if (inside === quote) break;
        if (inside === backslash) i++;
      }
    } else if (byte === openBrace || byte === openBracket) depth++;
    else if (byte === closeBrace || byte === closeBracket) {
      depth--;
      if (depth === 0) return i;
    }
  }
  return -1;
}

/** True when the bytes from `from` to `to` are the expected ones. */
export function bytesEqual(bytes: Uint8Array, from: number, to: number, expected: Uint8Array): boolean {
  if (to - from !== expected.length) return false;
  for (let i = 0; i < expected.length; i++) if (bytes[from + i] !== expected[i]) return false;
  return true;
}

/** Index of the first byte at or after `start` that is not white space; the length when there is none. */
export function skipSpace(bytes: Uint8Array, start: number): number {
  let i = start;
  while (i < bytes.length && isSpace(bytes[i])) i++;
  return i;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
