/** A message as it goes over a connection: its length in two bytes first. */
export function lengthPrefixed(message: Uint8Array): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(message.length);
  return Buffer.concat([length, message]);
}

/** The messages of a connection, in whatever pieces they come. */
export async function* messagesOf(connection: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  for await (const chunk of connection) {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 2 && rest.length >= 2 + rest.readUInt16BE()) {
      const end = 2 + rest.readUInt16BE();
      yield rest.subarray(2, end);
      rest = rest.subarray(end);
    }
  }
}
