import { VirtualClock } from "@kedge/machinery";
import { expect, it } from "vitest";
import { createQueue } from "./create-queue.ts";
import type { QueueMetrics, QueueMetricsProvider, RunningWork } from "./queue-metrics.ts";
import type { Trigger } from "./types.ts";

const event: Trigger = { priority: "child-change", source: "Pod a", reason: "updated" };

it("tells its metrics, by its name", async () => {
  const clock = new VirtualClock();
  const { provider, log, running } = recording();
  const queue = createQueue({ clock, name: "redis", metrics: provider });
  queue.add("a", { ...event, priority: "resync" });
  queue.add("a", event);
  await clock.advance(1500);
  await queue.get();
  await clock.advance(250);
  queue.add("b", event);
  await queue.get();
  await clock.advance(500);
  expect(running()).toEqual({ unfinishedSeconds: 1.25, longestSeconds: 0.75 });
  queue.addRateLimited("a", event);
  queue.addAfter("a", 1, event);
  queue.done("a");
  queue.done("b");
  expect(running()).toEqual({ unfinishedSeconds: 0, longestSeconds: 0 });
  expect(log).toEqual([
    "redis",
    "added",
    "depth resync 1",
    "depth resync 0",
    "depth child-change 1",
    "depth child-change 0",
    "queued 1.5",
    "added",
    "depth child-change 1",
    "depth child-change 0",
    "queued 0",
    "retried",
    "worked 0.75",
    "worked 0.5",
  ]);
});

function recording(): {
  provider: QueueMetricsProvider;
  log: string[];
  running: () => RunningWork | undefined;
} {
  const log: string[] = [];
  let read: (() => RunningWork) | undefined;
  const metrics: QueueMetrics = {
    depth: (priority, keys) => log.push(`depth ${priority} ${keys}`),
    added: () => log.push("added"),
    queued: (seconds) => log.push(`queued ${seconds}`),
    worked: (seconds) => log.push(`worked ${seconds}`),
    retried: () => log.push("retried"),
    onScrape: (reader) => {
      read = reader;
    },
  };
  const provider = {
    forQueue: (name: string): QueueMetrics => {
      log.push(name);
      return metrics;
    },
  };
  return { provider, log, running: () => read?.() };
}
