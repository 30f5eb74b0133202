/**
 * Writes protobuf from its end to its beginning: the length of a message is known before it is written. What is written
 * first comes last.
 */
export class WireWriter {
  #bytes: Buffer;
  #at: number;

  constructor(room = 4096) {
    this.#bytes = Buffer.allocUnsafe(room);
    this.#at = room;
  }

  /** How many bytes are written. */
  get length(): number {
    return this.#bytes.length - this.#at;
  }

  /** All that was written, as bytes of their own. The writer is empty then. */
  take(): Uint8Array {
    const taken = Buffer.from(this.#bytes.subarray(this.#at));
    this.#at = this.#bytes.length;
    // One large object does not hold its room for ever.
    if (this.#bytes.length > largestKept) {
      this.#bytes = Buffer.allocUnsafe(4096);
      this.#at = 4096;
    }
    return taken;
  }

  /** The number of a field, before its value is. */
  tag(number: number, wireType: 0 | 1 | 2): void {
    this.varint(number * 8 + wireType);
  }

  /** A whole number that is not negative, up to 2^53. */
  varint(value: number): void {
    if (value < 0x80) {
      this.#make(1);
      this.#bytes[--this.#at] = value;
      return;
    }
    let length = 1;
    for (let rest = Math.floor(value / 0x80); rest > 0; rest = Math.floor(rest / 0x80)) length++;
    this.#make(length);
    this.#at -= length;
    let rest = value;
    for (let index = 0; index < length - 1; index++) {
      this.#bytes[this.#at + index] = (rest % 0x80) + 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#bytes[this.#at + length - 1] = rest;
  }

  /** A signed number of 64 bits. */
  integer(value: number | bigint): void {
    if (typeof value === "number" && value >= 0 && value <= Number.MAX_SAFE_INTEGER) {
      this.varint(Math.trunc(value));
      return;
    }
    const bytes: number[] = [];
    let rest = BigInt.asUintN(64, typeof value === "bigint" ? value : BigInt(Math.trunc(value)));
    for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) + 0x80);
    bytes.push(Number(rest));
    this.bytes(Uint8Array.from(bytes));
  }

  /** A floating point number of 64 bits. */
  double(value: number): void {
    this.#make(8);
    this.#at -= 8;
    this.#bytes.writeDoubleLE(value, this.#at);
  }

  /** Bytes as they are. */
  bytes(bytes: Uint8Array): void {
    this.#make(bytes.length);
    this.#at -= bytes.length;
    this.#bytes.set(bytes, this.#at);
  }

  /** Text, without its length. */
  text(text: string): void {
    // Most texts are short and ASCII, for which a loop costs less than a call of the encoder.
    if (text.length <= shortText && this.#ascii(text)) return;
    const length = Buffer.byteLength(text);
    this.#make(length);
    this.#at -= length;
    this.#bytes.write(text, this.#at, "utf8");
  }

  /** A field of text. */
  textField(number: number, text: string): void {
    const before = this.length;
    this.text(text);
    this.delimit(number, before);
  }

  /** Makes a field of what was written since the writer had this length: text, bytes or a message. */
  delimit(number: number, before: number): void {
    this.varint(this.length - before);
    this.tag(number, 2);
  }

  #ascii(text: string): boolean {
    this.#make(text.length);
    const start = this.#at - text.length;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code > 0x7f) return false;
      this.#bytes[start + index] = code;
    }
    this.#at = start;
    return true;
  }

  /** Room for so many bytes more. */
  #make(length: number): void {
    if (this.#at >= length) return;
    const used = this.length;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, used + length));
    this.#bytes.copy(larger, larger.length - used, this.#at);
    this.#bytes = larger;
    this.#at = larger.length - used;
  }
}

const shortText = 48;
const largestKept = 1024 * 1024;
