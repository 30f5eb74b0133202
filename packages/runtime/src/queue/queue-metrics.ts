import type { Priority } from "./types.ts";

/** How long the keys that workers have now have been with them. */
export interface RunningWork {
  /** `workqueue_unfinished_work_seconds`: the sum. */
  readonly unfinishedSeconds: number;
  /** `workqueue_longest_running_processor_seconds`: the longest. */
  readonly longestSeconds: number;
}

/** What one queue tells about itself; each member is a metric of client-go. */
export interface QueueMetrics {
  /** `workqueue_depth{priority}`: the new number of ready keys. */
  depth(priority: Priority, keys: number): void;
  /** `workqueue_adds_total`: a key got an entry; adds that join one do not count. */
  added(): void;
  /** `workqueue_queue_duration_seconds`: from ready to handed out. */
  queued(seconds: number): void;
  /** `workqueue_work_duration_seconds`: from handed out to done. */
  worked(seconds: number): void;
  /** `workqueue_retries_total`: a key began to wait. */
  retried(): void;
  /** Called once with the way to read the two gauges of running work when they are scraped: no timer needed. */
  onScrape(read: () => RunningWork): void;
}

/** Gives each queue its metrics, labelled with its name. */
export interface QueueMetricsProvider {
  forQueue(name: string): QueueMetrics;
}

/** Metrics that go nowhere. */
export const silentQueueMetrics: QueueMetrics = {
  depth: () => undefined,
  added: () => undefined,
  queued: () => undefined,
  worked: () => undefined,
  retried: () => undefined,
  onScrape: () => undefined,
};
