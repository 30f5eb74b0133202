/**
 * What a body of Kubernetes' protobuf says, without the types of its messages: fields by their numbers. What differs
 * from run to run is masked here, for no name of a field tells what it is: uids, times and versions.
 */
export function readProtobuf(bytes: Uint8Array): unknown {
  return fieldsOf(bytes.subarray(magicBytes.length)) ?? "<no protobuf>";
}

/** A watch in protobuf: each event after its length in four bytes. */
export function readFrames(bytes: Buffer): readonly unknown[] {
  const frames: unknown[] = [];
  for (let at = 0; at + 4 <= bytes.length;) {
    const end = at + 4 + bytes.readUInt32BE(at);
    frames.push(valueOf(bytes.subarray(at + 4, end)));
    at = end;
  }
  return frames;
}

/** The four bytes that every body begins with. */
const magicBytes = Buffer.from("6b387300", "hex");
/** Later than any number that a test writes, earlier than any time. */
const smallestTime = 1_000_000_000n;

type Fields = Record<string, unknown>;

/** Undefined for what is no message. */
function fieldsOf(bytes: Uint8Array): Fields | undefined {
  const fields: Fields = {};
  let at = 0;
  const varint = (): bigint | undefined => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) return undefined;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    return undefined;
  };
  while (at < bytes.length) {
    const tag = varint();
    if (tag === undefined || tag >> 3n === 0n) return undefined;
    const number = varint();
    if (number === undefined) return undefined;
    let value: unknown = shownNumber(number);
    if ((tag & 7n) === 2n) {
      const end = at + Number(number);
      if (end > bytes.length) return undefined;
      value = valueOf(bytes.subarray(at, end));
      at = end;
    } else if ((tag & 7n) !== 0n) return undefined;
    const name = String(tag >> 3n);
    // Of repeated fields all are there, in their order.
    fields[name] = name in fields ? [fields[name], value].flat() : value;
  }
  return fields;
}

function shownNumber(number: bigint): number | string {
  return number >= smallestTime ? "<time>" : Number(number);
}

function valueOf(bytes: Uint8Array): unknown {
  if (magicBytes.equals(bytes.subarray(0, 4))) return { protobuf: readProtobuf(bytes) };
  const text = Buffer.from(bytes).toString("utf8");
  const isText = /^[\P{Cc}\n]*$/u.test(text) && !text.includes("\u{FFFD}") && !text.startsWith("\n");
  return isText ? masked(text) : (fieldsOf(bytes) ?? Buffer.from(bytes).toString("hex"));
}

function masked(text: string): string {
  return text
    .replaceAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gu, "<uid>")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/gu, "<time>")
    .replace(/^\d+$/u, "<number>");
}
