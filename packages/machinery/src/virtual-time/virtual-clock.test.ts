import { readFile } from "node:fs/promises";
import { describe, expect, test, vi } from "vitest";
import { macrotask, realClock } from "../ambient.ts";
import { seededRandom } from "../random.ts";
import { VirtualClock } from "./virtual-clock.ts";

/** A clock whose timers write down when they fire. */
function recording(): { clock: VirtualClock; log: string[]; at: (ms: number, name: string) => void } {
  const clock = new VirtualClock();
  const log: string[] = [];
  const at = (ms: number, name: string): void => {
    clock.timer(ms, () => log.push(`${name}@${clock.monotonic()}`));
  };
  return { clock, log, at };
}

const never = new Promise<never>(() => undefined);

describe("time", () => {
  test("starts at a fixed moment and stands still by itself", async () => {
    const clock = new VirtualClock();
    await macrotask();
    expect(new Date(clock.now()).toISOString()).toBe("2026-01-01T00:00:00.000Z");
    expect(clock.monotonic()).toBe(0);
    expect(new VirtualClock({ epoch: 1000 }).now()).toBe(1000);
  });

  test("moves by what it is told, timers or not", async () => {
    const clock = new VirtualClock({ epoch: 1000 });
    await clock.advance(500);
    expect([clock.now(), clock.monotonic()]).toEqual([1500, 500]);
  });
});

describe("advance", () => {
  test("fires in order of time, then of setting, each at its own time", async () => {
    const { clock, log, at } = recording();
    at(30, "c");
    at(10, "a1");
    at(20, "b");
    at(10, "a2");
    at(31, "too late");
    await clock.advance(30);
    expect(log).toEqual(["a1@10", "a2@10", "b@20", "c@30"]);
    expect(clock.pending()).toEqual({ timers: 1, tracked: 0 });
  });

  test("fires timers that are set within timers, when they come due in the same stretch", async () => {
    const { clock, log, at } = recording();
    clock.timer(10, () => {
      at(5, "inner");
      at(0, "at once");
      at(100, "later");
    });
    at(12, "between");
    await clock.advance(20);
    expect(log).toEqual(["at once@10", "between@12", "inner@15"]);
  });

  test("settles promises between two timers, so that a sleeper acts at the time of waking", async () => {
    const { clock, log, at } = recording();
    const sleeper = async (): Promise<void> => {
      await clock.sleep(10);
      await Promise.resolve();
      log.push(`woke@${clock.monotonic()}`);
      await clock.sleep(5);
      log.push(`again@${clock.monotonic()}`);
    };
    const done = sleeper();
    at(11, "timer");
    at(15, "set first");
    await clock.advance(100);
    await done;
    expect(log).toEqual(["woke@10", "timer@11", "set first@15", "again@15"]);
  });

  test("treats negative and meaningless times as 0, and never fires at infinity", async () => {
    const { clock, log, at } = recording();
    at(-5, "negative");
    at(Number.NaN, "not a number");
    at(Infinity, "never");
    expect(log).toEqual([]);
    await clock.advance(1e12);
    expect(log).toEqual(["negative@0", "not a number@0"]);
  });

  test("does not fire a cancelled timer, also when another timer of the same time cancels it", async () => {
    const { clock, log, at } = recording();
    clock.timer(10, () => victim.cancel());
    const victim = clock.timer(10, () => log.push("victim"));
    const early = clock.timer(5, () => log.push("early"));
    early.cancel();
    early.cancel();
    at(10, "other");
    expect(clock.pending().timers).toBe(3);
    await clock.advance(10);
    expect(log).toEqual(["other@10"]);
    victim.cancel();
    expect(clock.pending().timers).toBe(0);
  });

  test("fails with what a timer throws", async () => {
    const clock = new VirtualClock();
    clock.timer(1, () => {
      throw new Error("in a timer");
    });
    await expect(clock.advance(1)).rejects.toThrow("in a timer");
    await clock.advance(1);
    expect(clock.monotonic()).toBe(2);
  });

  test("refuses to run twice at once, and runs again afterwards", async () => {
    const clock = new VirtualClock();
    const first = clock.advance(10);
    await expect(clock.advance(10)).rejects.toThrow("VirtualClock.advance: the clock is running already");
    await first;
    await clock.advance(10);
    expect(clock.monotonic()).toBe(20);
  });

  test("fails when a timer sets itself again without delay for ever", async () => {
    const clock = new VirtualClock();
    const again = (): void => {
      clock.timer(0, again);
    };
    again();
    await expect(clock.advance(1)).rejects.toThrow(
      "time does not move: 100000 timers have fired at one instant",
    );
  });
});

describe("track", () => {
  test("holds time until work in the real world has finished, and what follows it has happened", async () => {
    const { clock, log, at } = recording();
    const reader = async (): Promise<void> => {
      await clock.sleep(1);
      const text = await clock.track(readFile(import.meta.filename, "utf8"));
      log.push(`read ${text.length > 0}@${clock.monotonic()}`);
      await clock.track(realClock.sleep(2));
      log.push(`slept@${clock.monotonic()}`);
    };
    const done = reader();
    at(2, "timer");
    await clock.advance(2);
    await done;
    expect(log).toEqual(["read true@1", "slept@1", "timer@2"]);
  });

  test("hands on the outcome, and work that failed is no longer waited for", async () => {
    const clock = new VirtualClock();
    const failing = clock.track(realClock.sleep(1).then(() => Promise.reject(new Error("disk"))));
    expect(clock.pending().tracked).toBe(1);
    const outcome = failing.catch((error: unknown) => error);
    await clock.settle();
    expect(await outcome).toEqual(new Error("disk"));
    expect(clock.pending().tracked).toBe(0);
    await expect(clock.track(Promise.resolve(7))).resolves.toBe(7);
  });

  test("an error that nobody handles is not hidden", async () => {
    const unhandled = vi.fn<(reason: unknown) => void>();
    const others = process.listeners("unhandledRejection");
    process.removeAllListeners("unhandledRejection").on("unhandledRejection", unhandled);
    try {
      const clock = new VirtualClock();
      const reason = new Error("lost");
      void clock.track(Promise.reject(reason));
      await clock.settle();
      expect(unhandled).toHaveBeenCalledWith(reason, expect.anything());
    } finally {
      process.removeAllListeners("unhandledRejection");
      for (const other of others) process.on("unhandledRejection", other);
    }
  });

  test("fails when tracked work is stuck, and says since when", async () => {
    const clock = new VirtualClock({ patience: 5 });
    await clock.advance(3);
    void clock.track(never);
    await expect(clock.advance(10)).rejects.toThrow(
      "virtual clock at 2026-01-01T00:00:00.003Z: tracked work has not finished within 5 ms of real time; pending: 0 timers, 1 tracked\n  tracked work since 0 ms ago",
    );
  });
});

describe("runUntil", () => {
  test("goes from timer to timer until a promise resolves, and no further", async () => {
    const clock = new VirtualClock();
    const work = async (): Promise<string> => {
      await clock.sleep(600_000);
      await clock.sleep(600_000);
      return "done";
    };
    clock.timer(1_200_001, () => undefined);
    await expect(clock.runUntil(work())).resolves.toBe("done");
    expect(clock.monotonic()).toBe(1_200_000);
    expect(clock.pending().timers).toBe(1);
  });

  test("goes on until a condition holds", async () => {
    const clock = new VirtualClock();
    let beats = 0;
    const beat = (): void => {
      beats++;
      clock.timer(1000, beat);
    };
    beat();
    await clock.runUntil(() => beats === 5);
    expect(clock.monotonic()).toBe(4000);
  });

  test("does not move time for what is true already, or becomes true without it", async () => {
    const clock = new VirtualClock();
    clock.timer(10, () => undefined);
    await clock.runUntil(() => true);
    await clock.runUntil(clock.track(realClock.sleep(1)));
    expect(clock.monotonic()).toBe(0);
  });

  test("rejects as the promise does", async () => {
    const clock = new VirtualClock();
    const work = clock.sleep(10).then(() => Promise.reject(new Error("failed")));
    await expect(clock.runUntil(work)).rejects.toThrow("failed");
  });

  test("fails when nothing can happen any more", async () => {
    const clock = new VirtualClock();
    clock.timer(5, () => undefined);
    await expect(clock.runUntil(never)).rejects.toThrow(
      "virtual clock at 2026-01-01T00:00:00.005Z: nothing can happen any more, as no timer is left",
    );
  });

  test("a sleep without end does not count as something that can happen", async () => {
    const clock = new VirtualClock();
    void clock.sleep(Infinity);
    await expect(clock.runUntil(never)).rejects.toThrow(
      "nothing can happen any more, as no timer is left (work that leaves the event loop must be announced with track); pending: 1 timers, 0 tracked\n  timer due in Infinity ms",
    );
  });

  test("fails when the limit is passed, at the limit, and lists what is pending", async () => {
    const clock = new VirtualClock();
    const beat = (): void => {
      clock.timer(700, beat);
    };
    beat();
    clock.timer(10_000, () => undefined);
    await expect(clock.runUntil(() => false, { limit: 1000 })).rejects.toThrow(
      [
        "virtual clock at 2026-01-01T00:00:01.000Z: not done within 1000 ms of virtual time; pending: 2 timers, 0 tracked",
        "  timer due in 400 ms",
        "  timer due in 9000 ms",
        "  ({ traces: true } tells where each was set)",
      ].join("\n"),
    );
    expect(clock.monotonic()).toBe(1000);
  });

  test("lists at most 20 of them", async () => {
    const clock = new VirtualClock();
    for (let i = 0; i < 50; i++) clock.timer(10_000, () => undefined);
    const error: unknown = await clock.runUntil(never, { limit: 1 }).catch((reason: unknown) => reason);
    expect(String(error).match(/timer due/gu)).toHaveLength(20);
    expect(String(error)).toContain("50 timers");
  });

  test("tells where each was set, when traces are kept", async () => {
    const clock = new VirtualClock({ traces: true });
    void clock.sleep(10_000);
    await expect(clock.runUntil(never, { limit: 1 })).rejects.toThrow(
      /timer due in 9999 ms, set at [^\n]*virtual-clock\.test\.ts[^\n]*$/u,
    );
  });
});

test("the same seed gives the same run, to the letter", async () => {
  const first = await simulate("seed");
  expect(first).toHaveLength(100);
  expect(await simulate("seed")).toEqual(first);
  expect(await simulate("other seed")).not.toEqual(first);
});

/** Five workers that sleep in virtual and work in real time, by chance. */
async function simulate(seed: string): Promise<string[]> {
  const { clock, log } = recording();
  const random = seededRandom(seed);
  const work = async (name: number): Promise<void> => {
    for (let i = 0; i < 20; i++) {
      await clock.sleep(random.int(10));
      if (random.int(4) === 0) await clock.track(realClock.sleep(random.int(2)));
      log.push(`${name}:${i}@${clock.monotonic()}`);
    }
  };
  await clock.runUntil(Promise.all([0, 1, 2, 3, 4].map(work)));
  return log;
}
