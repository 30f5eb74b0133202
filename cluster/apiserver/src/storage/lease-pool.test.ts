import { VirtualClock } from "@kedge/machinery";
import { createMemoryStore, StoreError } from "@kedge/store";
import { describe, expect, it, vi } from "vitest";
import { LeasePool } from "./lease-pool.ts";

function start() {
  const clock = new VirtualClock();
  const store = createMemoryStore({ clock });
  return { clock, store, pool: new LeasePool(store, clock) };
}

describe("leases of objects that go by themselves", () => {
  it("are shared by what is written within a minute", async () => {
    const { clock, pool } = start();
    const first = await pool.lease(3600);
    await clock.advance(59_000);
    expect(await pool.lease(3600)).toBe(first);
    await clock.advance(1_000);
    expect(await pool.lease(3600)).not.toBe(first);
  });

  it("are shared by those only that live as long", async () => {
    const { pool } = start();
    expect(await pool.lease(3600)).not.toBe(await pool.lease(60));
  });

  it("are granted once to those who come at the same time", async () => {
    const { store, pool } = start();
    const granted = vi.spyOn(store, "grantLease");
    const all = await Promise.all([pool.lease(60), pool.lease(60), pool.lease(60)]);
    expect(new Set(all).size).toBe(1);
    // Whoever comes last gets its whole time, too.
    expect(granted.mock.calls).toEqual([[63_000]]);
  });

  it("are asked for again after one could not be granted", async () => {
    const { store, pool } = start();
    vi.spyOn(store, "grantLease").mockRejectedValueOnce(new StoreError("FAILED", "no disk"));
    await expect(pool.lease(60)).rejects.toThrow("no disk");
    expect(await pool.lease(60)).toEqual(expect.any(Number));
  });

  it("are none for what stays", async () => {
    const { pool } = start();
    expect([await pool.lease(undefined), await pool.lease(0)]).toEqual([undefined, undefined]);
  });
});
