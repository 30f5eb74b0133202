/** Writes one protobuf message. Values that are the type's default are left out, as proto3 has it. */
export class MessageWriter {
  readonly #pieces: Uint8Array[] = [];

  /** A whole number from 0 to 2^53. `always` writes a 0, too: one of a choice says which was chosen. */
  int(field: number, value: number, always = false): this {
    if (value !== 0 || always) this.#pieces.push(varint(field * 8), varint(value));
    return this;
  }

  bool(field: number, value: boolean): this {
    return this.int(field, value ? 1 : 0);
  }

  bytes(field: number, value: Uint8Array): this {
    return value.length === 0 ? this : this.#lengthAndBytes(field, value);
  }

  text(field: number, value: string): this {
    return this.bytes(field, Buffer.from(value));
  }

  /** A message, also when it is empty. */
  message(field: number, value: MessageWriter): this {
    return this.#lengthAndBytes(field, value.finish());
  }

  finish(): Uint8Array {
    return Buffer.concat(this.#pieces);
  }

  #lengthAndBytes(field: number, value: Uint8Array): this {
    this.#pieces.push(varint(field * 8 + 2), varint(value.length), value);
    return this;
  }
}

/** A field of a message as it lies on the wire: a number, or bytes. */
export type FieldValue = number | Uint8Array;

/** Calls back for each field of a message, in the order of the wire. Throws what is no message. */
export function readFields(bytes: Uint8Array, onField: (field: number, value: FieldValue) => void): void {
  const place = { at: 0 };
  while (place.at < bytes.length) {
    const tag = readVarint(bytes, place);
    const field = Math.floor(tag / 8);
    switch (tag % 8) {
      case 0:
        onField(field, readVarint(bytes, place));
        break;
      case 1:
        place.at += 8;
        break;
      case 2: {
        const length = readVarint(bytes, place);
        const end = place.at + length;
        if (end > bytes.length) throw new Error("a protobuf message ends in the middle of a field");
        onField(field, bytes.subarray(place.at, end));
        place.at = end;
        break;
      }
      case 5:
        place.at += 4;
        break;
      default:
        throw new Error(`a protobuf message has a field of the unknown wire type ${tag % 8}`);
    }
  }
}

/** A number of a field; 0 for bytes. */
export function numberOf(value: FieldValue): number {
  return typeof value === "number" ? value : 0;
}

/** Bytes of a field; none for a number. */
export function bytesOf(value: FieldValue): Uint8Array {
  return typeof value === "number" ? new Uint8Array() : value;
}

/** A text of a field. */
export function textOf(value: FieldValue): string {
  const bytes = bytesOf(value);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8");
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  bytes.push(rest);
  return Uint8Array.from(bytes);
}

/** So many groups of seven bits fit into a number exactly. */
const exactGroups = 7;

/** As int64: negative numbers have all ten bytes. What is above 2^53 loses its last digits. */
function readVarint(bytes: Uint8Array, place: { at: number }): number {
  let value = 0;
  let factor = 1;
  for (let group = 0; group < exactGroups; group++, factor *= 128) {
    const byte = byteAt(bytes, place);
    value += (byte & 0x7f) * factor;
    if (byte < 0x80) return value;
  }
  let long = BigInt(value);
  for (let shift = 49n; shift < 70n; shift += 7n) {
    const byte = byteAt(bytes, place);
    long |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return Number(BigInt.asIntN(64, long));
  }
  throw new Error("a protobuf message has a number of more than ten bytes");
}

function byteAt(bytes: Uint8Array, place: { at: number }): number {
  const byte = bytes[place.at++];
  if (byte === undefined) throw new Error("a protobuf message ends in the middle of a number");
  return byte;
}
