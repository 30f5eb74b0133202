import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { Turns, type Clock } from "@kedge/machinery";
import { damaged } from "./damaged.ts";
import { metaBytes, metasOf, noPage, type Meta, type Tree } from "./file-meta.ts";
import { headerBytes, nodesOf, overflowPages, type LeafNode, type TreePage } from "./file-page.ts";

/** What a check needs besides the file. */
export interface CheckOptions {
  readonly clock: Clock;
  /** Called from time to time with the number of pages so far. */
  readonly onPages: (count: number) => void;
}

/** The event loop goes round after so many pages. */
const slicePages = 2000;

/**
 * Walks through an LMDB file before LMDB maps it into memory, where a damaged page can end the process or have it write
 * over what is there. Every page must be used exactly once: by the data, by the list of free pages, or as free. Throws
 * `DAMAGED`. What the values hold is for their own checksums.
 */
export async function checkFile(path: string, options: CheckOptions): Promise<void> {
  const file = openSync(path, "r");
  try {
    await new Walk(path, file).run(options);
  } finally {
    closeSync(file);
  }
}

class Walk {
  readonly #path: string;
  readonly #file: number;
  readonly #size: number;
  readonly #meta: Meta;
  readonly #seen: Uint8Array;
  readonly #page: Buffer;
  #count = 0;

  constructor(path: string, file: number) {
    this.#path = path;
    this.#file = file;
    this.#size = fstatSync(file).size;
    const head = Buffer.alloc(2 * metaBytes);
    if (this.#size < 2 * metaBytes) throw this.#damage("it is cut off within its header");
    readSync(file, head, 0, head.length, 0);
    const found = metasOf(head, (at, into) => readSync(file, into, 0, into.length, at));
    if (typeof found === "string") throw this.#damage(found);
    this.#meta = found;
    const { lastPage, pageSize } = found;
    if (lastPage > 4 * (this.#size / pageSize) + 1024) throw this.#damage("it is cut off");
    this.#seen = new Uint8Array(lastPage + 1);
    this.#page = Buffer.alloc(pageSize);
  }

  async run({ clock, onPages }: CheckOptions): Promise<void> {
    const turns = new Turns(clock);
    const { main, free, lastPage } = this.#meta;
    let told = 0;
    for (const [name, tree] of [
      ["data", main],
      ["free pages", free],
    ] as const) {
      const counted = { branch: 0, leaf: 0, overflow: 0, entries: 0 };
      for (const page of this.#pagesOf(tree, name)) {
        counted[page.type]++;
        if (page.type === "leaf")
          for (const node of page.nodes) {
            counted.entries++;
            counted.overflow += this.#value(node);
            if (tree === free) this.#freePages(node);
          }
        if (this.#count - told < slicePages) continue;
        told = this.#count;
        onPages(told);
        await turns.next();
      }
      for (const key of ["branch", "leaf", "overflow", "entries"] as const)
        if (counted[key] !== tree[key])
          throw this.#damage(
            `its tree of ${name} has ${counted[key]} ${key}, but its header says ${tree[key]}`,
          );
    }
    const lost = this.#seen.indexOf(0, 2);
    if (lost !== -1 && lost <= lastPage) throw this.#damage(`page ${lost} is neither used nor free`);
  }

  /** The pages of a tree, from the left, each after its parent. */
  *#pagesOf(tree: Tree, name: string): Generator<TreePage> {
    if (tree.root === noPage) return;
    const isFree = tree === this.#meta.free;
    interface Waiting {
      readonly number: number;
      readonly depth: number;
      readonly from: Buffer | undefined;
      readonly to: Buffer | undefined;
    }
    const waiting: Waiting[] = [{ number: tree.root, depth: 1, from: undefined, to: undefined }];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { number, depth, from, to } = next;
      this.#claim(number, 1);
      this.#read(number, this.#page);
      const page = nodesOf(this.#page, { number, transaction: this.#meta.transaction });
      if (typeof page === "string") throw this.#damage(`page ${number}, in its tree of ${name}: ${page}`);
      if ((page.type === "leaf") !== (depth === tree.depth))
        throw this.#damage(`page ${number}, in its tree of ${name}, is at a wrong depth`);
      this.#checkOrder(page, { number, from, to, isFree });
      yield page;
      if (page.type === "leaf") continue;
      for (let at = page.nodes.length - 1; at >= 0; at--) {
        const node = page.nodes[at];
        if (node === undefined) continue;
        waiting.push({
          number: node.child,
          depth: depth + 1,
          from: at === 0 ? from : node.key,
          to: page.nodes[at + 1]?.key ?? to,
        });
      }
    }
  }

  #checkOrder(
    page: TreePage,
    place: { number: number; from: Buffer | undefined; to: Buffer | undefined; isFree: boolean },
  ): void {
    const compare = place.isFree ? compareNumbers : compareBytes;
    // The first key of a branch stands for all that is before the second.
    const keys = page.nodes.slice(page.type === "branch" ? 1 : 0).map(({ key }) => key);
    let last = page.type === "leaf" ? undefined : place.from;
    const isOrdered = keys.every((key, at) => {
      const isAfter =
        at === 0 && page.type === "leaf"
          ? place.from === undefined || compare(key, place.from) >= 0
          : last === undefined || compare(key, last) > 0;
      last = key;
      return isAfter && (place.to === undefined || compare(key, place.to) < 0);
    });
    if (!isOrdered) throw this.#damage(`page ${place.number} has keys in a wrong order`);
  }

  /** Checks where a long value is, and gives the number of its pages. */
  #value({ overflow, size }: LeafNode): number {
    if (overflow === undefined) return 0;
    const pages = overflowPages(size, this.#meta.pageSize);
    const { number } = overflow;
    if (overflow.pages !== pages) throw this.#damage(`page ${number} begins a value of a wrong length`);
    this.#claim(number, pages);
    if ((number + pages) * this.#meta.pageSize > this.#size) throw this.#damage("it is cut off");
    const header = Buffer.alloc(headerBytes);
    this.#read(number, header);
    if (
      Number(header.readBigUInt64LE(0)) !== number ||
      header.readUInt16LE(18) !== 4 ||
      header.readUInt32LE(20) !== pages
    )
      throw this.#damage(`page ${number} is not the beginning of a value`);
    return pages;
  }

  /** The value of an entry of free pages: a count, then page numbers, or minus a count and the first of so many. */
  #freePages(node: LeafNode): void {
    const list = this.#bytesOf(node);
    const count = list.length < 8 ? -1 : Number(list.readBigUInt64LE(0));
    if (count < 0 || 8 * (count + 1) > list.length) throw this.#damage("its list of free pages is not one");
    for (let at = 1; at <= count; at++) {
      const entry = Number(list.readBigInt64LE(8 * at));
      if (entry > 0) this.#claim(entry, 1);
      else if (entry < 0) {
        at++;
        if (at > count) throw this.#damage("its list of free pages is not one");
        this.#claim(Number(list.readBigInt64LE(8 * at)), -entry);
      }
    }
  }

  #bytesOf({ overflow, size, data }: LeafNode): Buffer {
    if (overflow === undefined) return data;
    const bytes = Buffer.alloc(size);
    readSync(this.#file, bytes, 0, size, overflow.number * this.#meta.pageSize + headerBytes);
    return bytes;
  }

  #claim(first: number, count: number): void {
    const { lastPage } = this.#meta;
    if (!Number.isSafeInteger(first) || first < 2 || first + count - 1 > lastPage)
      throw this.#damage(`it names page ${first}, which is none`);
    for (let page = first; page < first + count; page++) {
      if (this.#seen[page] === 1) throw this.#damage(`page ${page} is used twice`);
      this.#seen[page] = 1;
    }
    this.#count += count;
  }

  #read(number: number, into: Buffer): void {
    const read = readSync(this.#file, into, 0, into.length, number * this.#meta.pageSize);
    if (read !== into.length) throw this.#damage("it is cut off");
  }

  #damage(what: string): Error {
    return damaged(this.#path, `${what} (${this.#size} bytes)`);
  }
}

function compareNumbers(a: Buffer, b: Buffer): number {
  if (a.length !== 8 || b.length !== 8) return NaN;
  const [x, y] = [a.readBigUInt64LE(0), b.readBigUInt64LE(0)];
  return x < y ? -1 : x > y ? 1 : 0;
}

function compareBytes(a: Buffer, b: Buffer): number {
  return Buffer.compare(a, b);
}
