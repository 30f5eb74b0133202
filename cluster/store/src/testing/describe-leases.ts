import { VirtualClock } from "@kedge/machinery";
import { describe, expect, it } from "vitest";
import { eventsUpTo, put, putOf } from "./bytes.ts";
import type { OpenStore } from "./conformance.ts";
import { disposable } from "./describe-transactions.ts";

/** Keys that go when their time is up. */
export function describeLeases(open: OpenStore): void {
  describe("leases", () => {
    it("deletes its keys in one transaction when it runs out", async () => {
      const clock = new VirtualClock();
      await using store = disposable(await open(clock));
      const { id } = await store.grantLease(1000);
      await store.transaction({ success: [putOf("a", "1", id), putOf("b", "1", id), putOf("c", "1")] });
      expect((await store.get("a"))?.lease).toBe(id);
      await clock.advance(999);
      expect(await store.revision()).toBe(2);
      await clock.advance(1);
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
      const { id } = await store.grantLease(1000);
      await store.transaction({ success: [putOf("a", "1", id)] });
      await clock.advance(900);
      expect(await store.keepLeaseAlive(id)).toEqual({ id, ttl: 1000 });
      await clock.advance(999);
      expect(await store.get("a")).toBeDefined();
      await clock.advance(1);
      expect(await store.get("a")).toBeUndefined();
    });

    it("lets go of a key that is put again without it, or with another", async () => {
      const clock = new VirtualClock();
      await using store = disposable(await open(clock));
      const short = await store.grantLease(1000);
      const long = await store.grantLease(5000);
      expect(long.id).not.toBe(short.id);
      await store.transaction({ success: ["a", "b"].map((key) => putOf(key, "1", short.id)) });
      await put(store, "a", "2");
      await store.transaction({ success: [putOf("b", "2", long.id)] });
      await clock.advance(1000);
      expect((await store.range({ prefix: "" })).count).toBe(2);
      await store.revokeLease(long.id);
      expect((await store.range({ prefix: "" })).items.map(({ key }) => key)).toEqual(["a"]);
    });

    it("goes on in a fork for the time that was left, on the clock of the fork", async () => {
      const [clock, other] = [new VirtualClock(), new VirtualClock()];
      await using store = disposable(await open(clock));
      const { id } = await store.grantLease(1000);
      await store.transaction({ success: [putOf("a", "1", id)] });
      await clock.advance(600);
      await using fork = disposable(await store.fork({ clock: other }));
      await other.advance(400);
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
