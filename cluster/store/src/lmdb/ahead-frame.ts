import { crc32 } from "node:zlib";
import type { Key } from "./keys.ts";
import type { Operation } from "./operations.ts";

// A frame is what was written in one step: a mark, the length of its content, a checksum of the content, a checksum of
// these three and of where the frame is; then operations, each with its kind, its key and its value.
const mark = 0x4b574131;
const headBytes = 16;
const put = 1;
const removal = 2;
/** Disks write whole sectors: what was not written of a frame is a sector of zeros at least. */
const sectorBytes = 512;

/** Where a frame is: the number of its file, and its place in it. */
export interface FramePlace {
  readonly file: number;
  readonly at: number;
}

/** The bytes of a frame with operations. */
export function encodeFrame(operations: readonly Operation[], place: FramePlace): Buffer {
  const keys = operations.map(({ key }) => Buffer.from(JSON.stringify(key)));
  const size = operations.reduce(
    (sum, { value }, i) => sum + 7 + (keys[i]?.length ?? 0) + (value?.length ?? 0),
    headBytes,
  );
  const bytes = Buffer.allocUnsafeSlow(size);
  let at = headBytes;
  for (const [i, { value }] of operations.entries()) {
    const key = keys[i] ?? Buffer.alloc(0);
    at = bytes.writeUInt8(value === undefined ? removal : put, at);
    at = bytes.writeUInt16BE(key.length, at);
    at = bytes.writeUInt32BE(value?.length ?? 0, at);
    at += key.copy(bytes, at);
    at += value?.copy(bytes, at) ?? 0;
  }
  bytes.writeUInt32BE(mark, 0);
  bytes.writeUInt32BE(size - headBytes, 4);
  bytes.writeUInt32BE(crc32(bytes.subarray(headBytes)), 8);
  bytes.writeUInt32BE(headChecksum(bytes, place), 12);
  return bytes;
}

/**
 * The operations of all frames of a file, in order. A last frame that was not written to its end was never
 * acknowledged, and is left out, unless more was written after it. A text that says what is wrong when there is
 * something else than frames.
 */
export function decodeFrames(
  bytes: Buffer,
  file: number,
  { isLast = true }: { readonly isLast?: boolean } = {},
): readonly Operation[] | string {
  const operations: Operation[] = [];
  for (let at = 0; at < bytes.length;) {
    const frame = bytes.subarray(at);
    const place = { file, at };
    const cutOff = isLast ? operations : `the record at byte ${at} is cut off`;
    if (frame.length < headBytes) return cutOff;
    if (frame.readUInt32BE(0) !== mark || frame.readUInt32BE(12) !== headChecksum(frame, place))
      return lacksSector(bytes, at, at + headBytes) && !hasFrameAfter(bytes, place)
        ? cutOff
        : `there is no record at byte ${at}`;
    const end = headBytes + frame.readUInt32BE(4);
    if (end > frame.length) return cutOff;
    const content = frame.subarray(headBytes, end);
    if (crc32(content) !== frame.readUInt32BE(8)) {
      const isTorn = end === frame.length && lacksSector(bytes, at + headBytes, at + end);
      return isTorn ? cutOff : `the record at byte ${at} has a wrong checksum`;
    }
    for (const operation of operationsIn(content)) operations.push(operation);
    at += end;
  }
  return operations;
}

function headChecksum(frame: Buffer, { file, at }: FramePlace): number {
  return crc32(frame.subarray(0, 12), crc32(`${file} ${at}`));
}

/** Whether another frame begins behind this place: then what is here was acknowledged before that one was written. */
function hasFrameAfter(bytes: Buffer, { file, at }: FramePlace): boolean {
  const markBytes = Buffer.alloc(4);
  markBytes.writeUInt32BE(mark);
  for (let next = bytes.indexOf(markBytes, at + 1); next !== -1; next = bytes.indexOf(markBytes, next + 1)) {
    const frame = bytes.subarray(next);
    if (frame.length >= headBytes && frame.readUInt32BE(12) === headChecksum(frame, { file, at: next }))
      return true;
  }
  return false;
}

/** Whether a sector, as far as it is in this part of a file, holds nothing but zeros. */
function lacksSector(bytes: Buffer, from: number, to: number): boolean {
  for (let start = from; start < to;) {
    const end = Math.min(to, (Math.floor(start / sectorBytes) + 1) * sectorBytes);
    if (bytes.subarray(start, end).every((byte) => byte === 0)) return true;
    start = end;
  }
  return false;
}

/** Its checksum was right, so it is as it was written. */
function* operationsIn(content: Buffer): Generator<Operation> {
  for (let at = 0; at < content.length;) {
    const kind = content.readUInt8(at);
    const keyEnd = at + 7 + content.readUInt16BE(at + 1);
    const end = keyEnd + content.readUInt32BE(at + 3);
    const key = keyOf(content.toString("utf8", at + 7, keyEnd));
    yield { key, value: kind === put ? content.subarray(keyEnd, end) : undefined };
    at = end;
  }
}

function keyOf(text: string): Key {
  const parts: unknown = JSON.parse(text);
  return Array.isArray(parts) ? parts.filter(isPart) : [];
}

function isPart(part: unknown): part is string | number {
  return typeof part === "string" || typeof part === "number";
}
