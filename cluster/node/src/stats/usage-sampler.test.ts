import { silentLogger, VirtualClock } from "@kedge/machinery";
import { expect, it } from "vitest";
import type { ContainerInfo } from "../runtime/types.ts";
import { busyTicks, usedBytes } from "./machine-usage.ts";
import { UsageSampler } from "./usage-sampler.ts";

const infoOf = (id: string): ContainerInfo => ({ id, labels: {}, state: "running" });

it("says how fast the counters grow, of those that are still there", async () => {
  const clock = new VirtualClock();
  let ids = ["web", "job"];
  // Half a processor, and two of them.
  const used = (share: number) => () =>
    Promise.resolve({ cpuNanoseconds: clock.monotonic() * 1e6 * share, workingSetBytes: 4096 });
  const sampler = new UsageSampler({
    clock,
    logger: silentLogger,
    containers: () => Promise.resolve(ids.map(infoOf)),
    usageOf: used(0.5),
    machine: used(2),
  });
  expect(sampler.usage).toEqual({ node: undefined, containers: [] });
  const stop = new AbortController();
  const running = sampler.run(stop.signal);
  await clock.advance(10_000);
  expect(sampler.usage.node).toMatchObject({ cpuNanocores: 2e9, windowMs: 10_000, workingSetBytes: 4096 });
  expect(sampler.usage.containers.map(({ container, usage }) => [container.id, usage.cpuNanocores])).toEqual([
    ["web", 5e8],
    ["job", 5e8],
  ]);
  ids = ["web", "new"];
  await clock.advance(10_000);
  expect(sampler.usage.containers.map(({ container }) => container.id)).toEqual(["web"]);
  stop.abort();
  await running;
});

it("reads the counters of the machine", () => {
  expect(busyTicks("cpu  10 20 30 1000 500 1 2 3 0 0\ncpu0 1 1 1\n")).toBe(66);
  expect(usedBytes("MemTotal:  100 kB\nMemFree: 1 kB\nMemAvailable:   40 kB\n")).toBe(60 * 1024);
});
