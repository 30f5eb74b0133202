/** A message as it goes over a connection: its length in two bytes first. */
export function lengthPrefixed(message: Uint8Array): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(message.length);
  return Buffer.concat([length, message]);
}

/** The messages of a connection, in whatever pieces they come. Throws when one is longer than it may be. */
export async function* messagesOf(
  connection: AsyncIterable<Buffer>,
  longest = 65_535,
): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  for await (const chunk of connection) {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 2) {
      const length = rest.readUInt16BE();
      if (length > longest)
        throw new RangeError(`a message of ${length} bytes: at most ${longest} are taken`);
      if (rest.length < 2 + length) break;
      yield rest.subarray(2, 2 + length);
      rest = rest.subarray(2 + length);
    }
  }
}
