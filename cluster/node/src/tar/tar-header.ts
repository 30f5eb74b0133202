import { TarError } from "./tar-error.ts";

/** What one block of 512 bytes says. */
export interface TarHeader {
  readonly name: string;
  readonly flag: string;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly size: number;
  readonly mtime: number;
  readonly linkName: string;
}

/** The unit that archives are made of. */
export const tarBlock = 512;

/** Reads a header. Undefined: a block of zeros, with which an archive ends. */
export function readTarHeader(block: Buffer): TarHeader | undefined {
  const sum = sumOf(block);
  if (sum === 8 * 32) return undefined;
  const said = text(block, 148, 8).trim();
  if (!/^[0-7]+$/u.test(said) || Number.parseInt(said, 8) !== sum) {
    throw new TarError("this is no tar archive, or it is damaged: the checksum of a header is wrong");
  }
  const isUstar = block.toString("latin1", 257, 262) === "ustar";
  // GNU's own format has other things there.
  const prefix = isUstar && block[263] === 0x30 ? text(block, 345, 155) : "";
  const name = text(block, 0, 100);
  return {
    name: prefix === "" ? name : `${prefix}/${name}`,
    flag: block[156] === 0 ? "0" : block.toString("latin1", 156, 157),
    mode: number(block, 100, 8) & 0o7777,
    uid: number(block, 108, 8),
    gid: number(block, 116, 8),
    size: number(block, 124, 12),
    mtime: number(block, 136, 12),
    linkName: text(block, 157, 100),
  };
}

/** The sum of all bytes, those of the sum itself taken as spaces. */
export function sumOf(block: Buffer): number {
  let sum = 0;
  for (let at = 0; at < tarBlock; at += 1) sum += at >= 148 && at < 156 ? 32 : (block[at] ?? 0);
  return sum;
}

function text(block: Buffer, start: number, length: number): string {
  const end = block.indexOf(0, start);
  return block.toString("latin1", start, end === -1 || end > start + length ? start + length : end);
}

/** Octal digits, or, when the first bit is set, a number in base 256. */
function number(block: Buffer, start: number, length: number): number {
  const first = block[start] ?? 0;
  if (first >= 0x80) {
    let value = first & 0x7f;
    if (first === 0xff) throw new TarError("a number in a header is negative");
    for (let at = start + 1; at < start + length; at += 1) value = value * 256 + (block[at] ?? 0);
    return safe(value);
  }
  const digits = text(block, start, length).trim();
  if (!/^[0-7]*$/u.test(digits)) throw new TarError(`"${digits}" in a header is no octal number`);
  return digits === "" ? 0 : safe(Number.parseInt(digits, 8));
}

function safe(value: number): number {
  if (Number.isSafeInteger(value)) return value;
  throw new TarError("a number in a header is too large");
}
