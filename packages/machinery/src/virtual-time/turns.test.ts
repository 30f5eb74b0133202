import { describe, expect, it } from "vitest";
import { macrotask, realClock } from "../ambient.ts";
import { Turns } from "./turns.ts";
import { VirtualClock } from "./virtual-clock.ts";

describe("turns", () => {
  it("are taken one at a time, in order, with the event loop going round between them", async () => {
    const turns = new Turns(realClock);
    const order: string[] = [];
    const worker = async (name: string): Promise<void> => {
      for (let slice = 0; slice < 2; slice++) {
        await turns.next();
        order.push(name);
      }
    };
    const workers = ["a", "b", "c"].map(worker);
    for (let round = 1; round <= 6; round++) {
      await macrotask();
      await macrotask();
      expect(order.length).toBeLessThanOrEqual(2 * round);
    }
    await Promise.all(workers);
    expect(order).toEqual(["a", "b", "c", "a", "b", "c"]);
  });

  it("are work that a virtual clock waits for", async () => {
    const clock = new VirtualClock();
    const turns = new Turns(clock);
    let taken = 0;
    const work = async (): Promise<void> => {
      for (; taken < 100; taken++) await turns.next();
    };
    void work();
    await clock.advance(1);
    expect(taken).toBe(100);
  });
});
