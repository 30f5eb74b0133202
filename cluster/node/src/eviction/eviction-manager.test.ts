import { silentLogger, uid, VirtualClock } from "@kedge/machinery";
import { expect, it } from "vitest";
import type { ApiPod } from "../model/types.ts";
import { podOf } from "../testing/pods.ts";
import { EvictionManager } from "./eviction-manager.ts";
import type { Supplies } from "./types.ts";

/** A node whose pods each hold 100 units of memory, of which it has 1000. */
class Bench {
  readonly clock = new VirtualClock();
  readonly evicted: string[] = [];
  /** `second conditions`. */
  readonly told: string[] = [];
  pods: readonly ApiPod[] = ["a", "b", "c"].map((name) =>
    podOf({ metadata: { name, uid: uid(name) }, ...(name === "c" && { spec: { priority: 2e9 } }) }),
  );
  taken = 0;
  readonly manager = new EvictionManager({
    clock: this.clock,
    logger: silentLogger,
    thresholds: { "memory.available": "500" },
    supplies: () => Promise.resolve(this.#supplies()),
    pods: () => this.pods,
    useOf: (pods) =>
      Promise.resolve(
        pods.map((pod) => ({
          pod,
          use: { memory: new Map([["app", 100]]), disk: new Map(), volumes: 0, inodes: 0, processes: 0 },
        })),
      ),
    evict: (pod) => {
      this.evicted.push(pod.metadata.name);
      this.pods = this.pods.filter((one) => one !== pod);
    },
    isRunning: (pod) => Promise.resolve(this.pods.includes(pod)),
    onPressure: () => this.told.push(`${this.#seconds()} ${[...this.manager.pressures].join(" ")}`),
    onShortage: () => undefined,
  });

  #supplies(): Supplies {
    return { "memory.available": { available: 1000 - this.taken - this.pods.length * 100, capacity: 1000 } };
  }

  #seconds(): number {
    return Math.round((this.clock.now() - Date.UTC(2026, 0)) / 1000);
  }
}

it("one pod after the other goes until there is enough, and the node says so for five minutes more", async () => {
  const bench = new Bench();
  const stop = new AbortController();
  const running = bench.manager.run(stop.signal);
  await bench.clock.advance(60_000);
  expect([bench.evicted, bench.told]).toEqual([[], []]);
  bench.taken = 250;
  await bench.clock.advance(30_000);
  expect(bench.evicted).toEqual(["a"]);
  expect(bench.manager.refusalOf(podOf())).toContain("MemoryPressure");
  await bench.clock.advance(400_000);
  expect(bench.told).toEqual(["70 MemoryPressure", "371 "]);
  expect(bench.manager.refusalOf(podOf())).toBeUndefined();
  stop.abort();
  await bench.clock.runUntil(running);
});

it("what the system needs stays, however short the node is", async () => {
  const bench = new Bench();
  const stop = new AbortController();
  const running = bench.manager.run(stop.signal);
  bench.taken = 900;
  await bench.clock.advance(60_000);
  expect(bench.evicted.toSorted()).toEqual(["a", "b"]);
  stop.abort();
  await bench.clock.runUntil(running);
});
