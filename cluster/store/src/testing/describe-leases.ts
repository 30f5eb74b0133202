import { VirtualClock } from "@kedge/machinery";
import { describe, expect, it, vi } from "vitest";
import type { Store } from "../types.ts";
import { eventsUpTo, put, putOf } from "./bytes.ts";
import type { OpenStore } from "./conformance.ts";
import { disposable } from "./describe-transactions.ts";

/** How the time of leases passes in a store. */
export interface LeaseTime {
  /** How long the shortest lease lives, in milliseconds. */
  readonly ttl: number;
  /** So long before its end a lease must still be there. */
  readonly margin: number;
  /** Lets time pass: on the clock that the store was opened with, or on that of the world. */
  readonly pass: (clock: VirtualClock, ms: number) => Promise<void>;
}

/** Keys that go when their time is up. */
export function describeLeases(open: OpenStore, { ttl, margin, pass }: LeaseTime): void {
  const gone = (store: Store, key: string) =>
    vi.waitFor(async () => expect(await store.get(key)).toBeUndefined(), { timeout: 60_000 });

  describe("leases", () => {
    it("deletes its keys in one transaction when it runs out", async () => {
      const clock = new VirtualClock();
      await using store = disposable(await open(clock));
      const { id } = await store.grantLease(ttl);
      await store.transaction({ success: [putOf("a", "1", id), putOf("b", "1", id), putOf("c", "1")] });
      expect((await store.get("a"))?.lease).toBe(id);
      await pass(clock, ttl - margin);
      expect(await store.revision()).toBe(2);
      await pass(clock, margin);
      await gone(store, "a");
      expect(await eventsUpTo(store.watch({ prefix: "" }, { from: 3 }), 3)).toEqual([
        "3 delete a was 1",
        "3 delete b was 1",
      ]);
      await expect(store.keepLeaseAlive(id)).rejects.toMatchObject({ code: "LEASE_NOT_FOUND" });
      await expect(store.transaction({ success: [putOf("a", "2", id)] })).rejects.toMatchObject({
        code: "LEASE_NOT_FOUND",
        message: `lease ${id} does not exist or has run out`,
      });
    });

    it("lives as long as it is kept alive", async () => {
      const clock = new VirtualClock();
      await using store = disposable(await open(clock));
      const { id } = await store.grantLease(ttl);
      await store.transaction({ success: [putOf("a", "1", id)] });
      await pass(clock, 0.7 * ttl);
      expect(await store.keepLeaseAlive(id)).toEqual({ id, ttl });
      await pass(clock, ttl - margin);
      expect(await store.get("a")).toBeDefined();
      await pass(clock, margin);
      await gone(store, "a");
    });

    it("lets go of a key that is put again without it, or with another", async () => {
      const clock = new VirtualClock();
      await using store = disposable(await open(clock));
      const short = await store.grantLease(ttl);
      const long = await store.grantLease(5 * ttl);
      expect(long.id).not.toBe(short.id);
      await store.transaction({ success: ["a", "b", "c"].map((key) => putOf(key, "1", short.id)) });
      await put(store, "a", "2");
      await store.transaction({ success: [putOf("b", "2", long.id)] });
      await pass(clock, ttl);
      await gone(store, "c");
      expect((await store.range({ prefix: "" })).count).toBe(2);
      await store.revokeLease(long.id);
      expect((await store.range({ prefix: "" })).items.map(({ key }) => key)).toEqual(["a"]);
    });

    it("goes on in a fork for the time that was left, on the clock of the fork", async () => {
      const [clock, other] = [new VirtualClock(), new VirtualClock()];
      await using store = disposable(await open(clock));
      const { id } = await store.grantLease(2 * ttl);
      await store.transaction({ success: [putOf("a", "1", id)] });
      await pass(clock, 0.5 * ttl);
      await using fork = disposable(await store.fork({ clock: other }));
      await other.advance(1.6 * ttl);
      expect(await fork.get("a")).toBeUndefined();
      expect(await store.get("a")).toBeDefined();
    });

    it("refuses a time that is none", async () => {
      await using store = disposable(await open(new VirtualClock()));
      await expect(store.grantLease(0)).rejects.toMatchObject({ code: "INVALID" });
      await expect(store.revokeLease(7)).rejects.toMatchObject({ code: "LEASE_NOT_FOUND" });
    });
  });
}
