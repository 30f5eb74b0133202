import { VirtualClock } from "@kedge/machinery";
import { describe, expect, it } from "vitest";
import { eventsUpTo, put, putOf, text } from "../testing/bytes.ts";
import type { Journal, JournalRecord } from "./journal.ts";
import { MvccStore, noJournal } from "./mvcc-store.ts";

describe("a write on its way to the disk", () => {
  it("is seen by no reader and no watcher before it is there", async () => {
    const disk = heldDisk();
    const store = new MvccStore({ clock: new VirtualClock(), journal: disk });
    const watch = store.watch({ prefix: "" });
    const written = put(store, "a", "1");
    watch.progress();
    expect(await watch.next()).toEqual({ done: false, value: { revision: 1, events: [] } });
    expect(await store.get("a")).toBeUndefined();
    expect(await store.revision()).toBe(1);
    await expect(store.compact(2)).rejects.toMatchObject({ code: "FUTURE_REVISION" });
    disk.finish();
    expect(await written).toBe(2);
    expect(text(await store.get("a"))).toBe("1");
    expect(await eventsUpTo(watch, 2)).toEqual(["2 put a=1"]);
  });

  it("counts for the comparisons behind it, whose answer waits for it", async () => {
    const disk = heldDisk();
    const store = new MvccStore({ clock: new VirtualClock(), journal: disk });
    const order: string[] = [];
    const create = { compare: [{ key: "a", modRevision: 0 }], success: [putOf("a", "1")] };
    const first = store.transaction(create).then(({ succeeded }) => order.push(`first ${succeeded}`));
    const second = store.transaction(create).then(({ succeeded }) => order.push(`second ${succeeded}`));
    const nothing = store
      .transaction({ success: [{ type: "delete", key: "absent" }] })
      .then(({ revision }) => order.push(`nothing ${revision}`));
    await store.get("a");
    expect(order).toEqual([]);
    disk.finish();
    await Promise.all([first, second, nothing]);
    expect(order.toSorted()).toEqual(["first true", "nothing 2", "second false"]);
  });

  it("fails with those that build on it, and takes nothing else with it", async () => {
    const disk = heldDisk();
    const store = new MvccStore({ clock: new VirtualClock(), journal: disk });
    const kept = put(store, "a", "1");
    disk.finish();
    await kept;
    const watch = store.watch({ prefix: "" });
    const lost = put(store, "a", "2");
    const behind = put(store, "b", "1");
    const refused = store.transaction({ compare: [{ key: "b", modRevision: 0 }], success: [] });
    disk.fail(new Error("no space left on device"));
    for (const write of [lost, behind, refused])
      await expect(write).rejects.toMatchObject({
        code: "FAILED",
        cause: { message: "no space left on device" },
      });
    expect(text(await store.get("a"))).toBe("1");
    expect((await store.range({ prefix: "" })).count).toBe(1);
    expect(await store.revision()).toBe(2);
    expect((await store.transaction({ success: [{ type: "delete", key: "absent" }] })).revision).toBe(2);

    const again = put(store, "a", "3");
    disk.finish();
    expect(await again).toBe(3);
    expect(await eventsUpTo(watch, 3)).toEqual(["3 put a=3 was 1"]);
    await store.close();
  });

  it("leaves a lease that could not be ended, and ends it later", async () => {
    const disk = heldDisk();
    const clock = new VirtualClock();
    const store = new MvccStore({ clock, journal: disk });
    const granted = store.grantLease(1000);
    disk.finish();
    const { id } = await granted;
    const written = store.transaction({ success: [putOf("a", "1", id)] });
    disk.finish();
    await written;
    await clock.advance(1000);
    disk.fail(new Error("gone"));
    await clock.settle();
    expect(text(await store.get("a"))).toBe("1");
    await clock.advance(10_000);
    disk.finish();
    await clock.settle();
    expect(await store.get("a")).toBeUndefined();
    await store.close();
  });
});

describe("a large compaction", () => {
  it("is many small ones to the journal, each of which can be the last", async () => {
    const records: JournalRecord[] = [];
    const journal = { ...noJournal, append: async (record: JournalRecord) => void records.push(record) };
    const store = new MvccStore({ clock: new VirtualClock(), journal });
    for (let i = 0; i < 1200; i++) await put(store, "a", "x");
    await store.compact(1100);
    const compactions = records.filter((record) => record.type === "compact");
    expect(compactions.map(({ revision, dropped }) => [revision, dropped.length])).toEqual([
      [501, 500],
      [1001, 500],
      [1100, 99],
    ]);
    await store.close();
  });
});

function heldDisk(): Journal & { finish(): void; fail(error: Error): void } {
  let held = Promise.withResolvers<void>();
  return {
    append: () => held.promise,
    close: () => Promise.resolve(),
    finish: () => {
      held.resolve();
      held = Promise.withResolvers();
    },
    fail: (cause) => {
      held.reject(cause);
      held = Promise.withResolvers();
    },
    resume: () => undefined,
  };
}
