import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { QueueMetrics, QueueMetricsProvider, RunningWork } from "../queue/queue-metrics.ts";

/** From 10 ns on, each ten times the last: those of client-go. */
const buckets = Array.from({ length: 12 }, (_, index) => 10 ** (index - 8));

/** The metrics of queues, under client-go's names. */
export function workqueueMetrics(registry: Registry): QueueMetricsProvider {
  const registers = [registry];
  const labelNames = ["name", "controller"];
  const counter = (name: string, help: string) => new Counter({ name, help, labelNames, registers });
  const histogram = (name: string, help: string) =>
    new Histogram({ name, help, labelNames, buckets, registers });
  const depth = new Gauge({
    name: "workqueue_depth",
    help: "Keys that are ready to be worked on",
    labelNames: [...labelNames, "priority"],
    registers,
  });
  const adds = counter("workqueue_adds_total", "Keys that were queued");
  const retries = counter("workqueue_retries_total", "Keys that were made to wait");
  const queued = histogram("workqueue_queue_duration_seconds", "From ready to handed out");
  const worked = histogram("workqueue_work_duration_seconds", "From handed out to done");
  const running = runningWork(registers, labelNames);
  return {
    forQueue(name): QueueMetrics {
      const labels = { name, controller: name };
      adds.inc(labels, 0);
      retries.inc(labels, 0);
      return {
        depth: (priority, keys) => depth.set({ ...labels, priority }, keys),
        added: () => adds.inc(labels),
        queued: (seconds) => queued.observe(labels, seconds),
        worked: (seconds) => worked.observe(labels, seconds),
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
