import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { VirtualClock } from "@kedge/machinery";
import fc from "fast-check";
import { open } from "lmdb";
import { afterAll, describe, expect, it } from "vitest";
import { createMemoryStore } from "../memory/memory-store.ts";
import { eventsUpTo, put, putOf } from "../testing/bytes.ts";
import type { KeyValue, Store, Write } from "../types.ts";
import type { Key } from "./keys.ts";
import { openLmdbStore } from "./lmdb-store.ts";

const root = mkdtempSync(join(tmpdir(), "kedge-reopen-"));
afterAll(() => rmSync(root, { recursive: true }));
const clock = new VirtualClock();

const key = fc.constantFrom("a", "b", "c", "d");
const write: fc.Arbitrary<Write> = fc.oneof(
  key.map((name) => putOf(name, "x")),
  key.map((name): Write => ({ type: "delete", key: name })),
);
const step = fc.oneof(
  { weight: 8, arbitrary: fc.uniqueArray(write, { selector: (one) => one.key, minLength: 1, maxLength: 3 }) },
  { weight: 1, arbitrary: fc.record({ compactTo: fc.double({ min: 0, max: 1, noNaN: true }) }) },
  { weight: 1, arbitrary: fc.constant("reopen" as const) },
);

describe("a store that is closed and opened between writes and compactions", () => {
  it("equals one in memory that never was", async () => {
    const property = fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const folder = mkdtempSync(join(root, "store."));
      const memory = createMemoryStore({ clock });
      let store = await openLmdbStore({ folder, clock });
      let oldest = 1;
      for (const next of [...steps, "reopen" as const]) {
        if (next === "reopen") {
          await store.close();
          store = await openLmdbStore({ folder, clock });
        } else if ("compactTo" in next) {
          oldest += Math.floor(((await memory.revision()) - oldest) * next.compactTo);
          await Promise.all([memory.compact(oldest), store.compact(oldest)]);
        } else
          await Promise.all([memory.transaction({ success: next }), store.transaction({ success: next })]);
      }
      expect(await everything(store, oldest)).toEqual(await everything(memory, oldest));
      await store.close();
    });
    await expect(fc.assert(property, { numRuns: 60 })).resolves.toBeUndefined();
  });

  it("keeps nothing in its file that compaction has dropped", async () => {
    const folder = mkdtempSync(join(root, "store."));
    const store = await openLmdbStore({ folder, clock });
    for (let i = 0; i < 20; i++) {
      await put(store, "a", String(i));
      await store.transaction({ success: [putOf("b", "1")] });
      await store.transaction({ success: [{ type: "delete", key: "b" }] });
    }
    await put(store, "c", "1");
    await store.compact(await store.revision());
    await store.close();
    const db = open<Buffer, Key>({ path: folder, encoding: "binary", noSubdir: false });
    const keys = [...db.getKeys({ start: ["log"], end: ["log", Infinity] })];
    await db.close();
    // The last put of a, and c.
    expect(keys).toEqual([
      ["log", 59, 0],
      ["log", 62, 0],
    ]);
  });
});

/** Every state that can be read and every event that can be watched. */
async function everything(store: Store, oldest: number): Promise<readonly unknown[]> {
  const newest = await store.revision();
  const found: unknown[] = [newest];
  for (let revision = oldest; revision <= newest; revision++)
    found.push((await store.range({ prefix: "" }, { revision })).items.map(numbers));
  found.push(await eventsUpTo(store.watch({ prefix: "" }, { from: oldest }), newest));
  return found;
}

function numbers({ key: name, createRevision, modRevision, version }: KeyValue): string {
  return `${name} ${createRevision} ${modRevision} ${version}`;
}
