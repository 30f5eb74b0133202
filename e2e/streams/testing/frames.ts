/** Opcodes of WebSocket frames. */
export const frames = { binary: 2, close: 8, ping: 9 } as const;

/** A whole message as a client sends it: masked, with a mask of zeros. */
export function clientFrame(opcode: number, data: Uint8Array): Buffer {
  const { length } = data;
  const masked = 0x80;
  const size =
    length < 126
      ? [masked | length]
      : length < 65_536
        ? [masked | 126, length >> 8, length & 255]
        : undefined;
  if (size === undefined) throw new RangeError("frames of tests are short");
  return Buffer.concat([Buffer.of(0x80 | opcode, ...size, 0, 0, 0, 0), data]);
}
