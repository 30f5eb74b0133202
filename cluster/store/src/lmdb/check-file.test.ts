import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { VirtualClock } from "@kedge/machinery";
import { afterAll, beforeAll, expect, it } from "vitest";
import { put } from "../testing/bytes.ts";
import { checkFile } from "./check-file.ts";
import { metaBytes, metasOf, type Meta } from "./file-meta.ts";
import { headerBytes, nodesOf } from "./file-page.ts";
import { openLmdbStore } from "./lmdb-store.ts";

const clock = new VirtualClock();
const folder = mkdtempSync(join(tmpdir(), "kedge-check-"));
const path = join(folder, "data.mdb");
let whole = Buffer.alloc(0);
let meta: Meta;

beforeAll(async () => {
  const store = await openLmdbStore({ folder, clock });
  for (let number = 0; number < 200; number++) await put(store, `/registry/a/${number}`, "x".repeat(100));
  await store.close();
  whole = readFileSync(path);
  const found = metasOf(whole.subarray(0, metaBytes), (at, into) =>
    whole.copy(into, 0, at, at + into.length),
  );
  if (typeof found === "string") throw new Error(found);
  meta = found;
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Where the field of the newest header is. */
const inHeader = (offset: number): number => (meta.transaction % 2) * meta.pageSize + headerBytes + offset;
const add = (file: Buffer, at: number, count: number): void => {
  file.writeBigUInt64LE(file.readBigUInt64LE(at) + BigInt(count), at);
};
const entriesAt = 72 + 32;
const lastPageAt = 120;

// Each breaks one rule and no other: damage by chance breaks several, and the first that is looked at is told.
it.each<[string, string, (file: Buffer) => Buffer]>([
  [
    "counts another number of entries",
    "entries, but its header says",
    (file) => {
      add(file, inHeader(entriesAt), 1);
      return file;
    },
  ],
  [
    "has a page that nobody has and that is not free",
    "is neither used nor free",
    (file) => {
      add(file, inHeader(lastPageAt), 1);
      const needed = (meta.lastPage + 2) * meta.pageSize;
      return Buffer.concat([file, Buffer.alloc(Math.max(0, needed - file.length))]);
    },
  ],
  [
    "has a page twice",
    "is used twice",
    (file) => {
      const root = meta.main.root * meta.pageSize;
      const [first = 0, second = 0] = [0, 2].map(
        (at) => root + headerBytes + file.readUInt16LE(root + headerBytes + at),
      );
      file.copy(file, second, first, first + 6);
      return file;
    },
  ],
  [
    "has keys in another order",
    "has keys in a wrong order",
    (file) => {
      const page = firstLeaf(file) * meta.pageSize + headerBytes;
      const [first, second] = [file.readUInt16LE(page), file.readUInt16LE(page + 2)];
      file.writeUInt16LE(second, page);
      file.writeUInt16LE(first, page + 2);
      return file;
    },
  ],
])("a file that %s is refused for it", async (_what, why, damage) => {
  const options = { clock, onPages: () => undefined };
  writeFileSync(path, whole);
  await expect(checkFile(path, options)).resolves.toBeUndefined();
  writeFileSync(path, damage(Buffer.from(whole)));
  await expect(checkFile(path, options)).rejects.toThrow(why);
});

function firstLeaf(file: Buffer): number {
  const { root, depth } = meta.main;
  expect(depth).toBe(2);
  const page = file.subarray(root * meta.pageSize, (root + 1) * meta.pageSize);
  const read = nodesOf(page, { number: root, transaction: meta.transaction });
  if (typeof read === "string" || read.type !== "branch") throw new Error("the root is no branch");
  return read.nodes[0]?.child ?? 0;
}
