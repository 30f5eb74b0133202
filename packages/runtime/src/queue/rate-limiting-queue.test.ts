import { VirtualClock } from "@kedge/machinery";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createQueue } from "./create-queue.ts";
import type { RateLimitingQueue, Trigger } from "./types.ts";

const event: Trigger = { priority: "child-change", source: "Pod a", reason: "updated" };
const specChange: Trigger = { priority: "spec-change", source: "Redis a", reason: "generation 2" };
const retry: Trigger = { priority: "retry", source: "queue", reason: "failed" };

function setUp(): { clock: VirtualClock; queue: RateLimitingQueue } {
  const clock = new VirtualClock();
  return { clock, queue: createQueue({ clock, name: "test" }) };
}

/** Takes the one ready key and fails on it. */
async function fail(queue: RateLimitingQueue): Promise<void> {
  expect(queue.depth).toBe(1);
  const item = await queue.get();
  if (item === undefined) throw new Error("the queue ended");
  queue.addRateLimited(item.key, retry);
  queue.done(item.key);
}

/** A key with the given number of failures, all waited for but the last. */
async function failed(times: number): Promise<{ clock: VirtualClock; queue: RateLimitingQueue }> {
  const { clock, queue } = setUp();
  queue.add("a", event);
  await fail(queue);
  for (let failures = 1; failures < times; failures++) {
    await clock.runUntil(() => queue.depth > 0);
    await fail(queue);
  }
  return { clock, queue };
}

describe("back-off", () => {
  it("doubles from 5 ms to 1000 s", async () => {
    const { clock, queue } = setUp();
    queue.add("a", event);
    const delays: number[] = [];
    for (let failures = 0; failures < 20; failures++) {
      await fail(queue);
      const before = clock.monotonic();
      await clock.runUntil(() => queue.depth > 0);
      delays.push(clock.monotonic() - before);
    }
    expect(delays.slice(0, 4)).toEqual([5, 10, 20, 40]);
    expect(delays.slice(16)).toEqual([327_680, 655_360, 1_000_000, 1_000_000]);
  });

  it("takes other limits", async () => {
    const clock = new VirtualClock();
    const queue = createQueue({ clock, name: "test", baseDelayMs: 100, maxDelayMs: 150 });
    queue.add("a", event);
    await fail(queue);
    await clock.runUntil(() => queue.depth > 0);
    expect(clock.monotonic()).toBe(100);
    await fail(queue);
    await clock.runUntil(() => queue.depth > 0);
    expect(clock.monotonic()).toBe(250);
  });

  it("starts again after forget", async () => {
    const { clock, queue } = await failed(5);
    await clock.runUntil(() => queue.depth > 0);
    await queue.get();
    queue.forget("a");
    queue.done("a");
    expect([queue.failures("a"), queue.backingOff]).toEqual([0, 0]);
  });

  it("starts again, at once, when the spec has changed", async () => {
    const { clock, queue } = await failed(18);
    queue.add("a", event);
    await fail(queue);
    queue.add("a", event);
    expect([queue.depth, queue.failures("a")]).toEqual([0, 18]);
    queue.add("a", specChange);
    expect([queue.depth, queue.waiting, queue.failures("a")]).toEqual([1, 0, 0]);
    await fail(queue);
    await clock.advance(5);
    expect(queue.depth).toBe(1);
  });

  it("is for keys that a worker has", () => {
    expect(() => setUp().queue.addRateLimited("a", retry)).toThrow(
      'queue: addRateLimited("a"): no worker has this key; call it before done',
    );
  });
});

describe("events during back-off", () => {
  it("one brings the retry forward, and its failure does not count", async () => {
    const { clock, queue } = await failed(10);
    const end = clock.monotonic() + 2560;
    queue.add("a", event);
    await fail(queue);
    expect([queue.failures("a"), queue.depth]).toEqual([10, 0]);
    await clock.runUntil(() => queue.depth > 0);
    expect(clock.monotonic()).toBe(end);
    await fail(queue);
    expect(queue.failures("a")).toBe(11);
  });

  it("later ones join the entry that waits", async () => {
    const { clock, queue } = await failed(10);
    queue.add("a", event);
    await fail(queue);
    for (let count = 0; count < 3; count++) queue.add("a", event);
    queue.addAfter("a", 1, event);
    await clock.advance(2559);
    expect(queue.depth).toBe(0);
    await clock.advance(1);
    expect((await queue.get())?.causes).toMatchObject([
      { reason: "failed", count: 1 },
      { reason: "updated", count: 4 },
    ]);
  });

  it("one that comes while a worker fails is the one that brings forward", async () => {
    const { clock, queue } = setUp();
    queue.add("a", event);
    await queue.get();
    queue.add("a", event);
    queue.addRateLimited("a", retry);
    queue.done("a");
    await fail(queue);
    queue.add("a", event);
    expect([queue.depth, queue.failures("a")]).toEqual([0, 1]);
    await clock.advance(5);
    expect(queue.depth).toBe(1);
  });

  it("one held back is let go as soon as the key succeeds", async () => {
    const { queue } = await failed(18);
    queue.add("a", event);
    await queue.get();
    queue.add("a", event);
    expect([queue.isReady("a"), queue.isWaiting("a")]).toEqual([false, true]);
    queue.forget("a");
    queue.done("a");
    expect([queue.depth, queue.waiting]).toEqual([1, 0]);
  });

  it("a wish to be looked at later survives the success", async () => {
    const { clock, queue } = await failed(1);
    await clock.advance(5);
    await queue.get();
    queue.forget("a");
    queue.addAfter("a", 10_000, retry);
    queue.done("a");
    await clock.advance(9999);
    expect([queue.depth, queue.waiting]).toEqual([0, 1]);
  });

  it("one held back in a window that is over does not hurry what waits for later", async () => {
    const { clock, queue } = await failed(2);
    queue.add("a", event);
    await fail(queue);
    queue.add("a", event);
    await clock.advance(10);
    await queue.get();
    queue.addAfter("a", 60_000, event);
    queue.forget("a");
    queue.done("a");
    expect([queue.depth, queue.waiting]).toEqual([0, 1]);
  });

  it("a noisy object that fails is not dead for a quarter of an hour", async () => {
    const { clock, queue } = setUp();
    let runs = 0;
    const worker = async (): Promise<void> => {
      for (let item = await queue.get(); item !== undefined; item = await queue.get()) {
        runs += 1;
        queue.addRateLimited(item.key, retry);
        queue.done(item.key);
      }
    };
    const working = worker();
    for (let ms = 0; ms < 2000; ms++) {
      queue.add("a", event);
      await clock.advance(1);
    }
    // The 9th at 1275 ms, the 10th at 2555 ms: client-go would have counted past its longest delay by now.
    expect(queue.failures("a")).toBe(9);
    expect(runs).toBeLessThanOrEqual(2 * 9);
    queue.shutDown();
    await working;
  });
});

describe("bookkeeping", () => {
  it("a worker that neither failed nor forgot leaves nothing behind", async () => {
    const { clock, queue } = await failed(3);
    await clock.runUntil(() => queue.depth > 0);
    await queue.get();
    queue.done("a");
    expect(queue.backingOff).toBe(0);
  });

  it.each(["shutDown", "drain"] as const)("%s ends all back-off", async (how) => {
    const { clock, queue } = await failed(3);
    await clock.runUntil(() => queue.depth > 0);
    await queue.get();
    const ended = queue[how]();
    queue.addRateLimited("a", retry);
    queue.done("a");
    await ended;
    expect([queue.backingOff, queue.waiting, clock.pending().timers]).toEqual([0, 0, 0]);
  });
});

interface Run {
  readonly start: number;
  readonly end: number;
  readonly isFailure: boolean;
  readonly triggers: number;
  /** As the queue says after the run. */
  readonly failures: number;
}

it("counts only what was waited for, one early run for each window, no event lost or late", async () => {
  const plan = fc.record({
    events: fc.array(fc.nat(400), { minLength: 1, maxLength: 40 }),
    runs: fc.array(fc.record({ ms: fc.nat(30), isFailure: fc.boolean() }), { maxLength: 30 }),
  });
  await fc.assert(
    fc.asyncProperty(plan, async ({ events, runs: planned }) => {
      const { clock, queue } = setUp();
      for (const at of events) clock.timer(at, () => queue.add("a", event));
      const runs: Run[] = [];
      const working = work({ clock, queue, planned, runs });
      await clock.advance(10_000_000);
      expect([queue.depth, queue.waiting, queue.backingOff, clock.pending().timers]).toEqual([0, 0, 0, 0]);
      queue.shutDown();
      await working;

      const retries = runs.filter(({ isFailure }) => isFailure).length;
      expect(runs.reduce((sum, { triggers }) => sum + triggers, 0)).toBe(events.length + retries);
      expectModel(runs, events);
    }),
    { numRuns: 200 },
  );
});

/** Works as planned, then succeeds for ever. */
async function work(options: {
  readonly clock: VirtualClock;
  readonly queue: RateLimitingQueue;
  readonly planned: readonly { readonly ms: number; readonly isFailure: boolean }[];
  readonly runs: Run[];
}): Promise<void> {
  const { clock, queue, planned, runs } = options;
  for (let item = await queue.get(); item !== undefined; item = await queue.get()) {
    const { ms, isFailure } = planned[runs.length] ?? { ms: 1, isFailure: false };
    const start = clock.monotonic();
    await clock.sleep(ms);
    if (isFailure) queue.addRateLimited("a", retry);
    else queue.forget("a");
    const triggers = item.causes.reduce((sum, { count }) => sum + count, item.omittedCauses);
    runs.push({ start, end: clock.monotonic(), isFailure, triggers, failures: queue.failures("a") });
    queue.done("a");
  }
}

function expectModel(runs: readonly Run[], events: readonly number[]): void {
  let failures = 0;
  let endsAt = 0;
  let early = 0;
  const latestNext = runs.map(({ start, end, isFailure, failures: told }) => {
    if (!isFailure) {
      failures = 0;
      endsAt = 0;
    } else if (failures === 0 || start >= endsAt) {
      endsAt = end + 5 * 2 ** failures;
      failures += 1;
      early = 0;
    } else {
      early += 1;
    }
    expect(told).toBe(failures);
    expect(early).toBeLessThanOrEqual(1);
    return Math.max(end, endsAt);
  });
  for (const at of events) {
    const next = runs.findIndex(({ start }) => start >= at);
    expect(next).toBeGreaterThanOrEqual(0);
    expect(runs[next]?.start).toBeLessThanOrEqual(Math.max(at, latestNext[next - 1] ?? 0));
  }
}
