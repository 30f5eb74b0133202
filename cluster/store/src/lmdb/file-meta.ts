import { headerBytes } from "./file-page.ts";

/** One of the two trees of a file. */
export interface Tree {
  readonly depth: number;
  readonly branch: number;
  readonly leaf: number;
  readonly overflow: number;
  readonly entries: number;
  /** The number of its first page. */
  readonly root: number;
}

/** What the newest of the two headers of a file says. */
export interface Meta {
  readonly pageSize: number;
  readonly free: Tree;
  readonly main: Tree;
  readonly lastPage: number;
  readonly transaction: number;
}

/** The root of an empty tree. */
export const noPage = Number(0xffff_ffff_ffff_ffffn);

/** So many bytes of each header are read. */
export const metaBytes = 256;

/** Reads both headers. A text says what is wrong with them. */
export function metasOf(first: Buffer, read: (at: number, into: Buffer) => number): Meta | string {
  const one = metaOf(first, 0);
  if (typeof one === "string") return one;
  const bytes = Buffer.alloc(metaBytes);
  if (read(one.pageSize, bytes) !== bytes.length) return "it is cut off within its header";
  const two = metaOf(bytes, 1);
  if (typeof two === "string") return two;
  if (one.pageSize !== two.pageSize) return "its two headers do not agree";
  // Each transaction writes one of them, by turns: so a newer one cannot be lost without a trace.
  const apart = Math.abs(one.transaction - two.transaction);
  if (apart !== 1 && (apart !== 0 || one.transaction !== 0))
    return "its two headers do not follow each other";
  return one.transaction > two.transaction ? one : two;
}

const magic = 0xbeefc0de;
const version = 2;
const metaFlag = 8;

function metaOf(page: Buffer, index: number): Meta | string {
  const number = (at: number): number => Number(page.readBigUInt64LE(headerBytes + at));
  const [foundMagic, foundVersion] = [page.readUInt32LE(headerBytes), page.readUInt32LE(headerBytes + 4)];
  if (foundMagic !== magic || page.readUInt16LE(18) !== metaFlag || Number(page.readBigUInt64LE(0)) !== index)
    return `header ${index} is none of a store`;
  if (foundVersion !== version) return `header ${index} is of version ${foundVersion}, not ${version}`;
  const pageSize = page.readUInt32LE(headerBytes + 24);
  if (![4096, 8192, 16_384, 32_768, 65_536].includes(pageSize))
    return `header ${index} has a wrong page size`;
  const tree = (at: number): Tree => ({
    depth: page.readUInt16LE(headerBytes + at + 6),
    branch: number(at + 8),
    leaf: number(at + 16),
    overflow: number(at + 24),
    entries: number(at + 32),
    root: number(at + 40),
  });
  const transaction = number(128);
  if (transaction !== 0 && transaction % 2 !== index) return `header ${index} is of a wrong transaction`;
  if (page.readUInt16LE(headerBytes + 76) !== 0 || page.readUInt16LE(headerBytes + 28) !== 8)
    return `header ${index} has unknown flags`;
  return { pageSize, free: tree(24), main: tree(72), lastPage: number(120), transaction };
}
