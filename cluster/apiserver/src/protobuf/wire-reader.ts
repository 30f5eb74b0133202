/** One value of a protobuf message as it lies on the wire. */
export type WireValue =
  | { readonly type: "varint"; readonly value: bigint }
  | { readonly type: "fixed64"; readonly value: Uint8Array }
  | { readonly type: "fixed32"; readonly value: Uint8Array }
  | { readonly type: "bytes"; readonly value: Uint8Array };

/** A body that is no protobuf, or not that of the kind it claims to be. */
export class ProtobufError extends Error {
  override readonly name = "ProtobufError";
}

/** More fields than any object has values. */
const mostFields = 200_000;

/** Splits a message into its fields: number → values in the order of the wire. */
export function readMessage(bytes: Uint8Array): ReadonlyMap<number, readonly WireValue[]> {
  const fields = new Map<number, WireValue[]>();
  let at = 0;
  for (let count = 0; at < bytes.length; count++) {
    if (count > mostFields) throw new ProtobufError(`a message has more than ${mostFields} fields`);
    const tag = readVarint(bytes, at);
    const number = Number(tag.value >> 3n);
    if (number === 0) throw new ProtobufError("proto: illegal tag 0 (wire type 0)");
    const read = readValue(bytes, tag.next, Number(tag.value & 7n));
    at = read.next;
    const known = fields.get(number);
    if (known === undefined) fields.set(number, [read.value]);
    else known.push(read.value);
  }
  return fields;
}

/** Reads the varints of a packed list. */
export function readPacked(bytes: Uint8Array): readonly WireValue[] {
  const values: WireValue[] = [];
  for (let at = 0; at < bytes.length;) {
    const { value, next } = readVarint(bytes, at);
    values.push({ type: "varint", value });
    at = next;
  }
  return values;
}

interface Read<T> {
  readonly value: T;
  readonly next: number;
}

function readValue(bytes: Uint8Array, at: number, wireType: number): Read<WireValue> {
  switch (wireType) {
    case 0: {
      const { value, next } = readVarint(bytes, at);
      return { value: { type: "varint", value }, next };
    }
    case 1:
      return { value: { type: "fixed64", value: slice(bytes, at, 8) }, next: at + 8 };
    case 2: {
      const length = readVarint(bytes, at);
      const value = slice(bytes, length.next, Number(length.value));
      return { value: { type: "bytes", value }, next: length.next + value.length };
    }
    case 5:
      return { value: { type: "fixed32", value: slice(bytes, at, 4) }, next: at + 4 };
    default:
      throw new ProtobufError(`proto: wiretype ${wireType} is not supported`);
  }
}

function readVarint(bytes: Uint8Array, at: number): Read<bigint> {
  // Nearly all are short, and arithmetic with bigints is slow.
  const [first, second] = [bytes[at] ?? 0x80, bytes[at + 1] ?? 0x80];
  if (first < 0x80) return { value: BigInt(first), next: at + 1 };
  if (second < 0x80) return { value: BigInt((first & 0x7f) | (second << 7)), next: at + 2 };
  let value = 0n;
  for (let index = 0; index < 10; index++) {
    const byte = bytes[at + index];
    if (byte === undefined) throw new ProtobufError("unexpected EOF");
    value |= BigInt(byte & 0x7f) << BigInt(index * 7);
    if (byte < 0x80) return { value, next: at + index + 1 };
  }
  throw new ProtobufError("proto: integer overflow");
}

function slice(bytes: Uint8Array, at: number, length: number): Uint8Array {
  if (at + length > bytes.length) throw new ProtobufError("unexpected EOF");
  return bytes.subarray(at, at + length);
}
