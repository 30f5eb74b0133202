/** The bytes before the content of a page. */
export const headerBytes = 24;

/** A page of a tree. */
export type TreePage =
  | { readonly type: "branch"; readonly nodes: readonly BranchNode[] }
  | { readonly type: "leaf"; readonly nodes: readonly LeafNode[] };

/** A key, and the page of what comes from it on. */
export interface BranchNode {
  readonly key: Buffer;
  readonly child: number;
}

/** A key and its value: in the page, or in pages of its own. */
export interface LeafNode {
  readonly key: Buffer;
  readonly size: number;
  readonly data: Buffer;
  readonly overflow: { readonly number: number; readonly pages: number } | undefined;
}

const branchFlag = 1;
const leafFlag = 2;
const bigData = 1;
const nodeHeader = 8;
const placeBytes = 24;

/** How many pages a long value takes. */
export function overflowPages(size: number, pageSize: number): number {
  return Math.floor((headerBytes - 1 + size) / pageSize) + 1;
}

/** Reads a page of a tree. Keys are copied. A text says what is wrong with it. */
export function nodesOf(page: Buffer, expected: { number: number; transaction: number }): TreePage | string {
  if (Number(page.readBigUInt64LE(0)) !== expected.number) return "it is another page";
  if (Number(page.readBigUInt64LE(8)) > expected.transaction) return "it is of a later transaction";
  const flags = page.readUInt16LE(18);
  if (flags !== branchFlag && flags !== leafFlag) return "it is no page of a tree";
  const [lower, upper] = [page.readUInt16LE(20), page.readUInt16LE(22)];
  const room = page.length - headerBytes;
  const count = lower >> 1;
  if (lower % 2 !== 0 || count === 0 || lower > upper || upper > room) return "its bounds are wrong";
  const places = Array.from({ length: count }, (_, at) => page.readUInt16LE(headerBytes + 2 * at));
  if (places.some((place) => place < upper || place % 2 !== 0 || place + nodeHeader > room))
    return "an entry is out of its bounds";
  const isLeaf = flags === leafFlag;
  let used = 0;
  for (const place of places) {
    const length = lengthAt(page, headerBytes + place, isLeaf);
    if (length === undefined || place + length > room) return "an entry is out of its bounds";
    used += length + (length % 2);
  }
  // Entries lie close together: if they overlapped, they would seem to need more.
  if (used !== room - upper) return "its entries overlap";
  if (isLeaf) return { type: "leaf", nodes: places.map((place) => leafAt(page, headerBytes + place)) };
  return { type: "branch", nodes: places.map((place) => branchAt(page, headerBytes + place)) };
}

function lengthAt(page: Buffer, at: number, isLeaf: boolean): number | undefined {
  const keyLength = page.readUInt16LE(at + 6);
  if (!isLeaf) return nodeHeader + keyLength;
  const flags = page.readUInt16LE(at + 4);
  if (flags !== 0 && flags !== bigData) return undefined;
  return nodeHeader + keyLength + (flags === bigData ? placeBytes : page.readUInt32LE(at));
}

function branchAt(page: Buffer, at: number): BranchNode {
  return { key: keyAt(page, at), child: page.readUInt32LE(at) + page.readUInt16LE(at + 4) * 2 ** 32 };
}

function leafAt(page: Buffer, at: number): LeafNode {
  const key = keyAt(page, at);
  const size = page.readUInt32LE(at);
  const value = at + nodeHeader + key.length;
  if (page.readUInt16LE(at + 4) !== bigData)
    return { key, size, data: Buffer.from(page.subarray(value, value + size)), overflow: undefined };
  const number = Number(page.readBigUInt64LE(value));
  const pages = Number(page.readBigUInt64LE(value + 16));
  return { key, size, data: Buffer.alloc(0), overflow: { number, pages } };
}

function keyAt(page: Buffer, at: number): Buffer {
  return Buffer.from(page.subarray(at + nodeHeader, at + nodeHeader + page.readUInt16LE(at + 6)));
}
