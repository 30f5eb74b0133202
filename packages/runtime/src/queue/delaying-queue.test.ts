import { VirtualClock } from "@kedge/machinery";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DedupeQueue } from "./dedupe-queue.ts";
import { HeapDelayingQueue } from "./delaying-queue.ts";
import type { Trigger } from "./types.ts";

const event: Trigger = { priority: "child-change", source: "Pod a", reason: "updated" };
const timeout: Trigger = { priority: "retry", source: "queue", reason: "requeue after" };

function setUp(): { clock: VirtualClock; queue: HeapDelayingQueue } {
  const clock = new VirtualClock({ epoch: 1000 });
  return { clock, queue: new HeapDelayingQueue({ clock, inner: new DedupeQueue({ clock }) }) };
}

describe("addAfter", () => {
  it("a key is ready when its time has come, not before", async () => {
    const { clock, queue } = setUp();
    queue.addAfter("a", 10, timeout);
    await clock.advance(9);
    expect([queue.depth, queue.waiting, queue.isWaiting("a")]).toEqual([0, 1, true]);
    await clock.advance(1);
    expect([queue.depth, queue.waiting, queue.isWaiting("a")]).toEqual([1, 0, false]);
  });

  it.each([0, -1, Number.NaN])("a delay of %d is none", (ms) => {
    const { queue } = setUp();
    queue.addAfter("a", ms, timeout);
    expect(queue.depth).toBe(1);
  });

  it("the earlier time counts, and the causes of both", async () => {
    const { clock, queue } = setUp();
    queue.addAfter("a", 10, timeout);
    queue.addAfter("a", 20, timeout);
    queue.addAfter("a", 5, event);
    await clock.advance(5);
    expect(await queue.get()).toMatchObject({
      priority: "child-change",
      causes: [
        { reason: "requeue after", count: 2, firstTime: 1000 },
        { reason: "updated", count: 1 },
      ],
    });
    queue.done("a");
    await clock.advance(100);
    expect([queue.depth, clock.pending().timers]).toEqual([0, 0]);
  });

  it("an add ends the wait and takes its causes along", async () => {
    const { clock, queue } = setUp();
    queue.addAfter("a", 10, timeout);
    await clock.advance(3);
    queue.add("a", event);
    expect([queue.waiting, clock.pending().timers]).toEqual([0, 0]);
    expect((await queue.get())?.causes).toEqual([
      { source: "queue", reason: "requeue after", count: 1, firstTime: 1000, lastTime: 1000 },
      { source: "Pod a", reason: "updated", count: 1, firstTime: 1003, lastTime: 1003 },
    ]);
  });

  it("a key that is ready already does not wait as well", () => {
    const { queue } = setUp();
    queue.add("a", event);
    queue.addAfter("a", 10, timeout);
    expect([queue.depth, queue.waiting]).toEqual([1, 0]);
  });
});

it.each(["shutDown", "drain"] as const)("%s drops what waits and takes no more", async (how) => {
  const { clock, queue } = setUp();
  queue.addAfter("a", 10, timeout);
  await queue[how]();
  queue.addAfter("b", 10, timeout);
  expect([queue.waiting, clock.pending().timers, await queue.get()]).toEqual([0, 0, undefined]);
});

it("behaves as a table of times, with one timer armed for the earliest", async () => {
  const key = fc.constantFrom("a", "b", "c", "d", "e", "f", "g", "h", "i", "j");
  const step = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ call: fc.constant("after" as const), key, ms: fc.integer({ min: 1, max: 50 }) }),
    },
    { weight: 1, arbitrary: fc.record({ call: fc.constant("add" as const), key }) },
    { weight: 1, arbitrary: fc.record({ call: fc.constant("expedite" as const), key }) },
    { weight: 1, arbitrary: fc.record({ call: fc.constant("advance" as const), ms: fc.nat(20) }) },
    { weight: 1, arbitrary: fc.record({ call: fc.constant("work" as const) }) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (script) => {
      const { clock, queue } = setUp();
      const times = new Map<string, number>();
      const early: string[] = [];
      for (const next of script) {
        const now = clock.monotonic();
        if (next.call === "after") {
          queue.addAfter(next.key, next.ms, timeout);
          times.set(next.key, Math.min(times.get(next.key) ?? Infinity, now + next.ms));
        } else if (next.call === "add") {
          queue.add(next.key, event);
          times.set(next.key, Math.min(times.get(next.key) ?? Infinity, now));
        } else if (next.call === "expedite") {
          queue.expedite(next.key);
          const time = times.get(next.key);
          if (time !== undefined) times.set(next.key, Math.min(time, now));
        } else if (next.call === "advance") {
          await clock.advance(next.ms);
        } else {
          while (queue.depth > 0) {
            const item = await queue.get();
            const { key: taken = "" } = item ?? {};
            if ((times.get(taken) ?? Infinity) > now) early.push(taken);
            times.delete(taken);
            queue.done(taken);
          }
        }
        const waiting = [...times.values()].filter((time) => time > clock.monotonic()).length;
        expect([queue.waiting, queue.depth]).toEqual([waiting, times.size - waiting]);
        expect(clock.pending().timers).toBe(waiting > 0 ? 1 : 0);
        expect(early).toEqual([]);
      }
    }),
  );
});
