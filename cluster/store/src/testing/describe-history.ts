import { VirtualClock } from "@kedge/machinery";
import { describe, expect, it } from "vitest";
import { del, eventsUpTo, put, putOf, text } from "./bytes.ts";
import type { OpenStore } from "./conformance.ts";
import { disposable } from "./describe-transactions.ts";

/** Old revisions: reading, watching, compacting, forking. */
export function describeHistory(open: OpenStore): void {
  const opened = async () => disposable(await open(new VirtualClock()));

  describe("old revisions", () => {
    it("shows each of many revisions as it was", async () => {
      await using store = await opened();
      for (let i = 2; i <= 300; i++) await put(store, `k${i % 7}`, String(i));
      for (const revision of [2, 3, 63, 64, 65, 130, 299, 300]) {
        const { items } = await store.range({ prefix: "k" }, { revision });
        const newest = Array.from({ length: 7 }, (_, k) => revision - ((((revision - k) % 7) + 7) % 7));
        expect(items.map(text)).toEqual(newest.filter((r) => r >= 2).map(String));
        expect(text(await store.get(`k${revision % 7}`, { revision }))).toBe(String(revision));
      }
      await expect(store.get("k1", { revision: 301 })).rejects.toMatchObject({ code: "FUTURE_REVISION" });
    });

    it.each([1.5, NaN, Infinity, -Infinity])("refuses %d, which is no revision", async (revision) => {
      await using store = await opened();
      await put(store, "a", "1");
      await put(store, "a", "2");
      await expect(store.range({ prefix: "" }, { revision })).rejects.toMatchObject({ code: "INVALID" });
      await expect(store.get("a", { revision })).rejects.toMatchObject({ code: "INVALID" });
      await expect(store.compact(revision)).rejects.toMatchObject({ code: "INVALID" });
      await expect(store.watch({ prefix: "" }, { from: revision }).next()).rejects.toMatchObject({
        code: "INVALID",
      });
    });

    it("lists in pages of one revision while others write", async () => {
      await using store = await opened();
      await store.transaction({ success: ["a", "b", "c"].map((key) => putOf(key, "old")) });
      const page = await store.range({ prefix: "" }, { limit: 2 });
      await put(store, "c", "new");
      await put(store, "d", "new");
      const rest = await store.range({ start: "b\0", end: "z" }, { revision: page.revision });
      expect([...page.items, ...rest.items].map((item) => `${item.key}=${text(item)}`)).toEqual([
        "a=old",
        "b=old",
        "c=old",
      ]);
    });

    it("forgets what is before a compaction and nothing else", async () => {
      await using store = await opened();
      await put(store, "a", "1");
      await put(store, "b", "1");
      await put(store, "a", "2");
      await del(store, "b");
      await store.compact(4);
      const old = store.range({ prefix: "" }, { revision: 3 });
      await expect(old).rejects.toThrow(/^revision \d+ has been compacted/u);
      await expect(old).rejects.toMatchObject({ code: "COMPACTED" });
      await expect(store.compact(3)).rejects.toMatchObject({ code: "COMPACTED" });
      await expect(store.compact(6)).rejects.toMatchObject({ code: "FUTURE_REVISION" });
      const { items } = await store.range({ prefix: "" }, { revision: 4 });
      expect(items.map(text)).toEqual(["2", "1"]);
      expect((await store.range({ prefix: "" })).count).toBe(1);
      expect(await eventsUpTo(store.watch({ prefix: "" }, { from: 5 }), 5)).toEqual(["5 delete b was 1"]);
    });

    it("forks a state that neither side can change for the other", async () => {
      await using store = await opened();
      await put(store, "a", "1");
      await put(store, "a", "2");
      await using now = disposable(await store.fork());
      await using then = disposable(await store.fork({ revision: 2 }));
      expect([await now.revision(), await then.revision()]).toEqual([3, 2]);
      await put(now, "a", "fork");
      await del(store, "a");
      await put(then, "b", "fork");
      expect(text(await now.get("a"))).toBe("fork");
      expect(text(await then.get("a"))).toBe("1");
      expect((await store.range({ prefix: "" })).count).toBe(0);
      expect(await eventsUpTo(then.watch({ prefix: "" }, { from: 3 }), 3)).toEqual(["3 put b=fork"]);
    });
  });

  describe("watches", () => {
    it("shows everything from an old revision, then what comes", async () => {
      await using store = await opened();
      await put(store, "/a/1", "1");
      await put(store, "/b/1", "1");
      await put(store, "/a/1", "2");
      const watch = store.watch({ prefix: "/a/" }, { from: 2 });
      expect((await watch.next()).value?.revision).toBe(4);
      const waiting = watch.next();
      await del(store, "/a/1");
      expect((await waiting).value).toMatchObject({
        revision: 5,
        events: [{ type: "delete", key: "/a/1", modRevision: 5, previous: { version: 2 } }],
      });
    });

    it("begins after the newest revision, or at one to come", async () => {
      await using store = await opened();
      await put(store, "a", "1");
      const next = store.watch({ prefix: "" });
      const later = store.watch({ prefix: "" }, { from: 4 });
      await put(store, "a", "2");
      await put(store, "a", "3");
      expect(await eventsUpTo(next, 4)).toEqual(["3 put a=2 was 1", "4 put a=3 was 2"]);
      expect(await eventsUpTo(later, 4)).toEqual(["4 put a=3 was 2"]);
    });

    it("keeps the events of a transaction together, in their order, however many", async () => {
      await using store = await opened();
      const names = Array.from({ length: 1200 }, (_, i) => `k${(i * 7) % 1200}`);
      await store.transaction({ success: names.map((key) => putOf(key, "")) });
      await put(store, "last", "");
      const { value } = await store.watch({ prefix: "" }, { from: 2 }).next();
      const together = value?.events.filter(
        (event) => event.type === "put" && event.current.modRevision === 2,
      );
      expect(together?.map((event) => event.type === "put" && event.current.key)).toEqual(names);
    });

    it("gives a bookmark when asked", async () => {
      await using store = await opened();
      const watch = store.watch({ prefix: "quiet" });
      await put(store, "loud", "1");
      const waiting = watch.next();
      watch.progress();
      expect((await waiting).value).toEqual({ revision: 2, events: [] });
    });

    it("ends a reader that compaction overtakes, and only that one", async () => {
      await using store = await opened();
      const slow = store.watch({ prefix: "a" });
      const quiet = store.watch({ prefix: "q" });
      await put(store, "a", "1");
      await put(store, "a", "2");
      await store.compact(3);
      await put(store, "q", "1");
      await expect(slow.next()).rejects.toMatchObject({ code: "COMPACTED" });
      expect(await slow.next()).toEqual({ done: true, value: undefined });
      expect(await eventsUpTo(quiet, 4)).toEqual(["4 put q=1"]);
      await expect(store.watch({ prefix: "a" }, { from: 2 }).next()).rejects.toMatchObject({
        code: "COMPACTED",
      });
    });

    it("ends without an error by its signal, by return, and when the signal was aborted before", async () => {
      await using store = await opened();
      const stop = new AbortController();
      const bySignal = store.watch({ prefix: "" }, { signal: stop.signal });
      const byReturn = store.watch({ prefix: "" });
      const waiting = [bySignal.next(), byReturn.next()];
      stop.abort();
      await byReturn.return();
      const late = store.watch({ prefix: "" }, { signal: stop.signal, from: 1 });
      for (const end of [...waiting, late.next()])
        expect(await end).toEqual({ done: true, value: undefined });
    });
  });
}
