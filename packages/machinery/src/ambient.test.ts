import { afterEach, describe, expect, test, vi } from "vitest";
import { macrotask, realClock, realRandom } from "./ambient.ts";
import { DeadlineError } from "./time/deadline-error.ts";

describe("realClock", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  test.each([0, 1, 3])("sleeps at least %s ms, measured by its own monotonic time", async (ms) => {
    const start = realClock.monotonic();
    await realClock.sleep(ms);
    expect(realClock.monotonic() - start).toBeGreaterThanOrEqual(ms);
  });

  test("takes a time that has passed for now, without a warning", async () => {
    const warnings: string[] = [];
    const warned = (warning: Error): void => void warnings.push(warning.name);
    process.on("warning", warned);
    await new Promise<void>((resolve) => {
      realClock.timer(-5, resolve);
    });
    await macrotask();
    process.off("warning", warned);
    expect(warnings).toEqual([]);
  });

  test("tells the time of the day", () => {
    vi.useFakeTimers({ now: 1_800_000_000_000 });
    expect(realClock.now()).toBe(1_800_000_000_000);
  });

  test("fires timers beyond the 24.8 days that setTimeout can hold, on time and once", () => {
    vi.useFakeTimers();
    const fired = vi.fn<() => void>();
    const days = 24 * 60 * 60 * 1000;
    realClock.timer(60 * days, fired);
    vi.advanceTimersByTime(60 * days - 1);
    expect(fired).not.toHaveBeenCalled();
    vi.advanceTimersByTime(60 * days);
    expect(fired).toHaveBeenCalledTimes(1);
  });

  test("never fires a timer of infinite length, nor one that was cancelled after its first stretch", () => {
    vi.useFakeTimers();
    const fired = vi.fn<() => void>();
    realClock.timer(Infinity, fired);
    const long = realClock.timer(2 ** 32, fired);
    vi.advanceTimersByTime(2 ** 31);
    long.cancel();
    vi.advanceTimersByTime(2 ** 33);
    expect(fired).not.toHaveBeenCalled();
  });

  test("a sleep rejects with the signal's reason, before and during it, and leaves no timer", async () => {
    vi.useFakeTimers();
    const reason = new Error("stop");
    await expect(realClock.sleep(10, AbortSignal.abort(reason))).rejects.toBe(reason);
    const controller = new AbortController();
    const sleep = realClock.sleep(1e9, controller.signal);
    controller.abort(reason);
    await expect(sleep).rejects.toBe(reason);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("a deadline aborts with a DeadlineError that says how long it was", async () => {
    using deadline = realClock.deadline(1);
    await realClock.sleep(1);
    await expect.poll(() => deadline.signal.aborted).toBe(true);
    expect(deadline.signal.reason).toBeInstanceOf(DeadlineError);
    expect(deadline.signal.reason).toMatchObject({ name: "DeadlineError", ms: 1 });
  });

  test("a deadline does not keep the process alive, a sleep does", () => {
    using deadline = realClock.deadline(1e6);
    const controller = new AbortController();
    const before = process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const sleep = realClock.sleep(1e6, controller.signal).catch(() => undefined);
    const during = process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    controller.abort();
    expect(deadline.signal.aborted).toBe(false);
    expect(during - before).toBe(1);
    return sleep;
  });

  test("a released deadline never aborts", () => {
    vi.useFakeTimers();
    const deadline = realClock.deadline(5);
    deadline[Symbol.dispose]();
    vi.advanceTimersByTime(100);
    expect(deadline.signal.aborted).toBe(false);
  });

  test("track hands back the very promise", () => {
    const work = Promise.resolve(1);
    expect(realClock.track(work)).toBe(work);
  });
});

test("realRandom draws numbers and uuids that do not repeat", () => {
  const draws = Array.from({ length: 50 }, () => realRandom.next());
  expect(new Set(draws).size).toBe(50);
  expect(draws.every((value) => value >= 0 && value < 1)).toBe(true);
  expect(realRandom.uuid()).not.toBe(realRandom.uuid());
  expect(realRandom.int(3)).toBeLessThan(3);
});

test("macrotask lets all ready microtasks run first", async () => {
  let steps = 0;
  let chain = Promise.resolve();
  for (let i = 0; i < 100; i++) {
    chain = chain.then(() => {
      steps++;
      return undefined;
    });
  }
  await macrotask();
  expect(steps).toBe(100);
});
