import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { VirtualClock } from "@kedge/machinery";
import { afterAll, describe, expect, it } from "vitest";
import { del, eventsUpTo, put, putOf, text } from "../testing/bytes.ts";
import { describeStore } from "../testing/conformance.ts";
import { openLmdbStore } from "./lmdb-store.ts";

const root = mkdtempSync(join(tmpdir(), "kedge-store-"));
afterAll(() => rmSync(root, { recursive: true }));
const newFolder = (): string => mkdtempSync(join(root, "store."));
const reopen = (folder: string, clock = new VirtualClock()) => openLmdbStore({ folder, clock });

describe("the store on lmdb", () => {
  describeStore((clock) => openLmdbStore({ folder: newFolder(), clock }));
});

describe("a store that is opened again", () => {
  it("has its keys, its revisions and its history", async () => {
    const folder = newFolder();
    const before = await reopen(folder);
    for (let i = 2; i <= 20; i++) await put(before, `k${i % 3}`, String(i));
    await before.transaction({ success: [putOf("z", "1"), { type: "delete", key: "k0" }, putOf("a", "1")] });
    const expected = [
      await before.range({ prefix: "" }),
      await before.range({ prefix: "" }, { revision: 9 }),
    ];
    const events = await eventsUpTo(before.watch({ prefix: "" }, { from: 2 }), 21);
    await before.close();

    const after = await reopen(folder);
    expect(await after.revision()).toBe(21);
    expect([await after.range({ prefix: "" }), await after.range({ prefix: "" }, { revision: 9 })]).toEqual(
      expected,
    );
    expect(await eventsUpTo(after.watch({ prefix: "" }, { from: 2 }), 21)).toEqual(events);
    expect(await put(after, "k0", "back")).toBe(22);
    expect(await after.get("k0")).toMatchObject({ createRevision: 22, version: 1 });
    await after.close();
  });

  it.each([2, 4, 5, 6, 7])("stays compacted at %i and goes on with its revision", async (revision) => {
    const folder = newFolder();
    const before = await reopen(folder);
    await put(before, "a", "1");
    await put(before, "b", "1");
    await before.transaction({ success: [putOf("a", "2"), putOf("c", "1")] });
    await del(before, "b");
    await put(before, "c", "2");
    await del(before, "c");
    if (revision > 3) await before.compact(3);
    await before.compact(revision);
    const expected = await Promise.all(
      [revision, 7].map((at) => before.range({ prefix: "" }, { revision: at })),
    );
    const events = await eventsUpTo(before.watch({ prefix: "" }, { from: revision }), 7);
    await before.close();

    const after = await reopen(folder);
    expect(await after.revision()).toBe(7);
    expect(
      await Promise.all([revision, 7].map((at) => after.range({ prefix: "" }, { revision: at }))),
    ).toEqual(expected);
    expect(await eventsUpTo(after.watch({ prefix: "" }, { from: revision }), 7)).toEqual(events);
    await expect(after.get("a", { revision: revision - 1 })).rejects.toMatchObject({ code: "COMPACTED" });
    await after.compact(7);
    await after.close();

    const last = await reopen(folder);
    expect(text(await last.get("a"))).toBe("2");
    expect(await put(last, "d", "1")).toBe(8);
    await last.close();
  });

  it("starts the time of its leases anew, and never gives a number twice", async () => {
    const folder = newFolder();
    const first = new VirtualClock();
    const before = await reopen(folder, first);
    const kept = await before.grantLease(1000);
    await before.revokeLease((await before.grantLease(1000)).id);
    await before.transaction({ success: [putOf("a", "1", kept.id)] });
    await first.advance(900);
    await before.close();

    const clock = new VirtualClock();
    const after = await reopen(folder, clock);
    expect((await after.grantLease(1)).id).toBe(3);
    await clock.advance(999);
    expect(await after.get("a")).toBeDefined();
    await clock.advance(1);
    expect(await after.get("a")).toBeUndefined();
    await after.close();
  });

  it("is refused while it is open, and not after", async () => {
    const folder = newFolder();
    const store = await reopen(folder);
    await expect(reopen(folder)).rejects.toMatchObject({
      code: "IN_USE",
      message: `${folder}: the store is in use by this process`,
    });
    expect(await put(store, "a", "1")).toBe(2);
    await store.close();
    const again = await reopen(folder);
    expect(await again.revision()).toBe(2);
    await again.close();
  });
});
