import { constants, deflateRawSync } from "node:zlib";

/** Frames of SPDY/3.1 as a client sends them. */
export const spdy = {
  /** Of the first stream only: it begins the compressed headers of a connection. */
  open: (stream: number, headers: Readonly<Record<string, string>>): Buffer => {
    const words = Object.entries(headers).flat();
    const block = Buffer.concat([
      number(words.length / 2),
      ...words.flatMap((word) => [number(word.length), Buffer.from(word)]),
    ]);
    const packed = deflateRawSync(block, { finishFlush: constants.Z_SYNC_FLUSH });
    const zlib = stream === 1 ? Buffer.from([0x78, 0x01]) : Buffer.alloc(0);
    return control(1, Buffer.concat([number(stream), number(0), Buffer.alloc(2), zlib, packed]));
  },
  data: (stream: number, data: Buffer): Buffer => Buffer.concat([number(stream), number(data.length), data]),
  end: (stream: number): Buffer => Buffer.concat([number(stream), Buffer.from([1, 0, 0, 0])]),
  reset: (stream: number): Buffer => control(3, Buffer.concat([number(stream), number(5)])),
  ping: (id: number): Buffer => control(6, number(id)),
  leave: (): Buffer => control(7, Buffer.concat([number(0), number(0)])),
} as const;

function control(type: number, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0x80, 3, 0, type]), number(body.length), body]);
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
