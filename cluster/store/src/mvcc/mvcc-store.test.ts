import { VirtualClock } from "@kedge/machinery";
import { describe, expect, it } from "vitest";
import { eventsUpTo, put, putOf, text } from "../testing/bytes.ts";
import type { Journal } from "./journal.ts";
import { MvccStore } from "./mvcc-store.ts";

describe("a write on its way to the disk", () => {
  it("is seen by no reader and no watcher before it is there", async () => {
    const disk = heldDisk();
    const store = new MvccStore({ clock: new VirtualClock(), journal: disk });
    const watch = store.watch({ prefix: "" });
    const written = put(store, "a", "1");
    watch.progress();
    expect(await watch.next()).toEqual({ done: false, value: { revision: 1, events: [] } });
    expect(await store.get("a")).toBeUndefined();
    expect(store.revision()).toBe(1);
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

  it("takes the store with it when it fails, but not what was durable", async () => {
    const disk = heldDisk();
    const store = new MvccStore({ clock: new VirtualClock(), journal: disk });
    const kept = put(store, "a", "1");
    disk.finish();
    await kept;
    const watch = store.watch({ prefix: "" });
    const lost = put(store, "a", "2");
    const behind = put(store, "b", "1");
    disk.fail(new Error("no space left on device"));
    for (const write of [lost, behind, put(store, "c", "1")])
      await expect(write).rejects.toMatchObject({
        code: "FAILED",
        cause: { message: "no space left on device" },
      });
    await expect(watch.next()).rejects.toMatchObject({ code: "FAILED" });
    expect(text(await store.get("a"))).toBe("1");
    expect(store.revision()).toBe(2);
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
    fail: (error) => held.reject(error),
  };
}
