import { VirtualClock } from "@kedge/machinery";
import { describe, expect, it } from "vitest";
import { bytes, del, put, putOf, text } from "./bytes.ts";
import type { OpenStore } from "./conformance.ts";

/** Reads and writes at the newest revision. */
export function describeTransactions(open: OpenStore): void {
  describe("transactions", () => {
    it("counts one revision per transaction, and the versions of a key since its creation", async () => {
      await using store = await opened(open);
      expect(await store.revision()).toBe(1);
      expect(await store.transaction({ success: [putOf("a", "1"), putOf("b", "1")] })).toEqual({
        succeeded: true,
        revision: 2,
      });
      await put(store, "a", "2");
      expect(await store.get("a")).toMatchObject({ createRevision: 2, modRevision: 3, version: 2, lease: 0 });
      expect(await store.get("b")).toMatchObject({ createRevision: 2, modRevision: 2, version: 1 });
      await del(store, "a");
      expect(await store.get("a")).toBeUndefined();
      await put(store, "a", "3");
      expect(await store.get("a")).toMatchObject({ createRevision: 5, modRevision: 5, version: 1 });
      expect(await store.revision()).toBe(5);
    });

    it("takes no revision when nothing changes", async () => {
      await using store = await opened(open);
      expect(await store.transaction({ success: [{ type: "delete", key: "absent" }] })).toEqual({
        succeeded: true,
        revision: 1,
      });
    });

    it("writes only when every comparison holds, and else shows what is there", async () => {
      await using store = await opened(open);
      const create = { compare: [{ key: "a", modRevision: 0 }], success: [putOf("a", "1")] };
      expect(await store.transaction(create)).toMatchObject({ succeeded: true, revision: 2 });
      const again = await store.transaction({ ...create, failure: [{ prefix: "a" }] });
      expect(again).toMatchObject({
        succeeded: false,
        revision: 2,
        ranges: [{ count: 1, items: [{ key: "a", modRevision: 2 }] }],
      });
      const both = {
        compare: [
          { key: "a", modRevision: 2 },
          { key: "b", modRevision: 7 },
        ],
        success: [putOf("a", "2")],
      };
      expect(await store.transaction(both)).toMatchObject({ succeeded: false, ranges: [] });
      expect(text(await store.get("a"))).toBe("1");
    });

    it("refuses a key that is written twice, and an empty one", async () => {
      await using store = await opened(open);
      const twice = store.transaction({ success: [putOf("a", "1"), { type: "delete", key: "a" }] });
      await expect(twice).rejects.toMatchObject({ code: "DUPLICATE_KEY" });
      await expect(put(store, "", "1")).rejects.toMatchObject({ code: "INVALID" });
      expect(await store.revision()).toBe(1);
    });

    it("keeps bytes as they are", async () => {
      await using store = await opened(open);
      const value = Uint8Array.from({ length: 256 }, (_, i) => i);
      await store.transaction({ success: [{ type: "put", key: "ключ/🗝", value }] });
      await store.transaction({ success: [{ type: "put", key: "empty", value: bytes("") }] });
      expect([...((await store.get("ключ/🗝"))?.value ?? [])]).toEqual([...value]);
      expect((await store.get("empty"))?.value.length).toBe(0);
    });

    it("reads a prefix, a span, a page, a count", async () => {
      await using store = await opened(open);
      const names = ["/a", "/a/", "/a/1", "/a/2", "/a/3", "/a0", "/b/1"];
      await store.transaction({ success: names.map((name) => putOf(name, "x")) });
      const keys = async (...args: Parameters<typeof store.range>): Promise<unknown> => {
        const { items, count, more } = await store.range(...args);
        return [items.map(({ key }) => key).join(" "), count, more];
      };
      expect(await keys({ prefix: "" })).toEqual([names.join(" "), 7, false]);
      expect(await keys({ prefix: "/a/" })).toEqual(["/a/ /a/1 /a/2 /a/3", 4, false]);
      expect(await keys({ prefix: "/a/" }, { limit: 2 })).toEqual(["/a/ /a/1", 4, true]);
      expect(await keys({ prefix: "/a/" }, { limit: 4 })).toEqual(["/a/ /a/1 /a/2 /a/3", 4, false]);
      expect(await keys({ start: "/a/1\0", end: "/a0" })).toEqual(["/a/2 /a/3", 2, false]);
      expect(await keys({ prefix: "/a/" }, { limit: 0 })).toEqual(["", 4, true]);
      expect(await keys({ start: "/b", end: "/a" })).toEqual(["", 0, false]);
    });

    it("orders keys by their bytes", async () => {
      await using store = await opened(open);
      await store.transaction({ success: ["\u{1f5dd}", "\uffee", "z", "é"].map((key) => putOf(key, "")) });
      const { items } = await store.range({ prefix: "" });
      expect(items.map(({ key }) => key)).toEqual(["z", "é", "\uffee", "\u{1f5dd}"]);
    });

    it("answers nothing once closed, and closes twice", async () => {
      const store = await open(new VirtualClock());
      const watch = store.watch({ prefix: "" });
      const written = put(store, "a", "1");
      await store.close();
      await store.close();
      expect(await written).toBe(2);
      await expect(put(store, "a", "2")).rejects.toMatchObject({ code: "CLOSED" });
      await expect(store.get("a")).rejects.toMatchObject({ code: "CLOSED" });
      await expect(store.revision()).rejects.toMatchObject({ code: "CLOSED" });
      await expect(watch.next()).rejects.toMatchObject({ code: "CLOSED", hint: "Open the store again." });
      expect(await watch.next()).toEqual({ done: true, value: undefined });
    });
  });
}

async function opened(open: OpenStore): Promise<Awaited<ReturnType<OpenStore>> & AsyncDisposable> {
  return disposable(await open(new VirtualClock()));
}

/** A store that closes when its block ends. */
export function disposable<S extends { close(): Promise<void> }>(store: S): S & AsyncDisposable {
  return Object.assign(store, { [Symbol.asyncDispose]: () => store.close() });
}
