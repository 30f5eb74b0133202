import { describe, expect, it } from "vitest";
import { createPartHealth } from "./part-health.ts";
import type { ProcessUsage } from "./process-usage.ts";

/** What a process does in each second, as parts of that second. */
interface Life {
  readonly state?: string;
  /** CPU time that it uses. */
  readonly uses?: number;
  /** How long it wants to run and cannot. */
  readonly waits?: number;
  /** How often it says that it is alive. */
  readonly beatsEvery?: number;
  readonly progressEvery?: number;
  /** Seconds between two looks. */
  readonly looksEvery?: number;
}

/** Lives so for some seconds; gives the second in which it is given up, and why. */
function liveFor(seconds: number, { ready }: { readonly ready: boolean }, life: Life): string {
  const health = createPartHealth(0);
  if (ready) health.ready();
  for (let second = 0; second <= seconds; second++) {
    if (life.beatsEvery !== undefined && second % life.beatsEvery === 0) health.beat();
    if (life.progressEvery !== undefined && second % life.progressEvery === 0) health.progress();
    if (second % (life.looksEvery ?? 1) !== 0) continue;
    const usage: ProcessUsage = {
      state: life.state ?? "S",
      cpuMs: second * (life.uses ?? 0) * 1000,
      waitedMs: second * (life.waits ?? 0) * 1000,
    };
    const why = health.look(second * 1000, usage);
    if (why !== undefined) return `${second}: ${why}`;
  }
  return "lives";
}

describe("a part that is ready", () => {
  it.each<[string, Life, string]>([
    ["lives while it says so", { beatsEvery: 1 }, "lives"],
    ["lives while it is slow to say so", { beatsEvery: 25, uses: 1 }, "lives"],
    ["lives on a machine that does not let it run", { state: "R", uses: 0.01, waits: 0.99 }, "lives"],
    ["lives while its disk stands still", { state: "D" }, "lives"],
    ["lives where its watcher was away for long", { looksEvery: 290 }, "lives"],
    [
      "is given up when a signal has stopped it",
      { state: "T" },
      "30: did not answer for 30 s, stopped by a signal,",
    ],
    [
      "is given up when it goes round in circles",
      { state: "R", uses: 1 },
      "30: did not answer for 30 s, busy for 30 s of CPU time,",
    ],
    ["is given up when it waits for ever", {}, "30: did not answer for 30 s"],
    [
      "is given up later when it has half a CPU",
      { state: "R", uses: 0.5, waits: 0.5 },
      "60: did not answer for 30 s, busy for 30 s of CPU time,",
    ],
  ])("%s", (_name, life, outcome) => expect(liveFor(300, { ready: true }, life)).toBe(outcome));
});

describe("a part that starts", () => {
  it.each<[string, Life, string]>([
    ["may work as long as it takes, without a word", { state: "R", uses: 1 }, "lives"],
    ["may work slowly where others want the machine, too", { state: "R", uses: 0.02, waits: 0.98 }, "lives"],
    ["may wait for what it says that it waits for", { beatsEvery: 1, progressEvery: 50 }, "lives"],
    ["may wait for a disk", { state: "D" }, "lives"],
    ["is given up when it only waits", { beatsEvery: 1, uses: 0.01 }, "60: made no progress for 60 s"],
  ])("%s", (_name, life, outcome) => expect(liveFor(300, { ready: false }, life)).toBe(outcome));
});
