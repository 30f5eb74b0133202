const [quote, backslash, comma, brace, bracket] = [0x22, 0x5c, 0x2c, 0x7b, 0x5b];

/** Whether a text of JSON has at most so many values: said without reading what they are, in a few milliseconds. */
export function hasAtMostValues(json: Uint8Array, most: number): boolean {
  const bytes = Buffer.from(json.buffer, json.byteOffset, json.byteLength);
  let values = 1;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === quote) at = endOfString(bytes, at);
    else if ((byte === comma || byte === brace || byte === bracket) && ++values > most) return false;
  }
  return true;
}

/** Where the string ends that begins at a place. */
function endOfString(bytes: Buffer, start: number): number {
  let end = bytes.indexOf(quote, start + 1);
  while (end !== -1 && isEscaped(bytes, end)) end = bytes.indexOf(quote, end + 1);
  return end === -1 ? bytes.length : end;
}

function isEscaped(bytes: Buffer, at: number): boolean {
  let before = at;
  while (bytes[before - 1] === backslash) before--;
  return (at - before) % 2 === 1;
}
