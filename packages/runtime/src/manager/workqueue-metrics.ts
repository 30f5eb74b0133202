import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { QueueMetrics, QueueMetricsProvider, RunningWork } from "../queue/queue-metrics.ts";
import type { Priority } from "../queue/types.ts";

/** From 10 ns on, each ten times the last: those of client-go. */
const buckets = Array.from({ length: 12 }, (_, index) => 10 ** (index - 8));

/** The metrics of queues, under client-go's names. */
export function workqueueMetrics(registry: Registry): QueueMetricsProvider {
  const registers = [registry];
  const labelNames = ["name", "controller"];
  const counter = (name: string, help: string) => new Counter({ name, help, labelNames, registers });
  const histogram = (name: string, help: string) =>
    new Histogram({ name, help, labelNames, buckets, registers });
  // Labels are looked up when somebody reads them, not for each key.
  const depths = new Map<string, Map<Priority, number>>();
  const added = new Map<string, number>();
  registry.registerMetric(
    new Gauge({
      name: "workqueue_depth",
      help: "Keys that are ready to be worked on",
      labelNames: [...labelNames, "priority"],
      registers: [],
      collect() {
        for (const [name, keys] of depths) {
          for (const [priority, count] of keys) this.set({ name, controller: name, priority }, count);
        }
      },
    }),
  );
  registry.registerMetric(
    new Counter({
      name: "workqueue_adds_total",
      help: "Keys that were queued",
      labelNames,
      registers: [],
      collect() {
        for (const [name, count] of added) this.inc({ name, controller: name }, count);
        for (const name of added.keys()) added.set(name, 0);
      },
    }),
  );
  const retries = counter("workqueue_retries_total", "Keys that were made to wait");
  const queued = histogram("workqueue_queue_duration_seconds", "From ready to handed out");
  const worked = histogram("workqueue_work_duration_seconds", "From handed out to done");
  const running = runningWork(registers, labelNames);
  return {
    forQueue(name): QueueMetrics {
      const labels = { name, controller: name };
      const [queuedHere, workedHere] = [queued.labels(labels), worked.labels(labels)];
      const depth = new Map<Priority, number>();
      depths.set(name, depth);
      added.set(name, 0);
      retries.inc(labels, 0);
      return {
        depth: (priority, keys) => void depth.set(priority, keys),
        added: () => void added.set(name, (added.get(name) ?? 0) + 1),
        queued: (seconds) => queuedHere.observe(seconds),
        worked: (seconds) => workedHere.observe(seconds),
        retried: () => retries.inc(labels),
        onScrape: (read) => running.set(name, read),
      };
    },
  };
}

/** The two gauges that are read when they are asked for. */
function runningWork(registers: Registry[], labelNames: string[]): Map<string, () => RunningWork> {
  const reads = new Map<string, () => RunningWork>();
  const gauge = (name: string, help: string, pick: (work: RunningWork) => number) =>
    new Gauge({
      name,
      help,
      labelNames,
      registers,
      collect() {
        for (const [queue, read] of reads) this.set({ name: queue, controller: queue }, pick(read()));
      },
    });
  gauge(
    "workqueue_unfinished_work_seconds",
    "How long the keys that are worked on now have been, in sum",
    ({ unfinishedSeconds }) => unfinishedSeconds,
  );
  gauge(
    "workqueue_longest_running_processor_seconds",
    "How long the key has been worked on that takes longest now",
    ({ longestSeconds }) => longestSeconds,
  );
  return reads;
}
