import { exactInteger } from "@kedge/machinery";
import { ProtobufError, type WireValue } from "./wire-reader.ts";

/** The message or string content of a value. */
export function bytesOf(value: WireValue | undefined): Uint8Array {
  if (value === undefined) return new Uint8Array();
  if (value.type !== "bytes") throw new ProtobufError(`proto: wrong wireType = ${value.type} for field`);
  return value.value;
}

/** A string. Bytes that are no UTF-8 become U+FFFD, as in Go's JSON. */
export function stringOf(value: WireValue | undefined): string {
  return new TextDecoder().decode(bytesOf(value));
}

/** A signed integer of 64 bits, as JSON data has it. */
export function exactIntegerOf(value: WireValue): number | bigint {
  if (value.type !== "varint") throw new ProtobufError(`proto: wrong wireType = ${value.type} for field`);
  return exactInteger(BigInt.asIntN(64, value.value));
}

/** A signed integer that is known to be small; 0 without a value. */
export function integerOf(value: WireValue | undefined): number {
  return value === undefined ? 0 : Number(exactIntegerOf(value));
}

/** A floating point number of 64 bits. */
export function doubleOf(value: WireValue): number {
  if (value.type !== "fixed64") throw new ProtobufError(`proto: wrong wireType = ${value.type} for field`);
  return new DataView(value.value.buffer, value.value.byteOffset, 8).getFloat64(0, true);
}

/** Bytes as JSON has them. */
export function base64Of(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64");
}
