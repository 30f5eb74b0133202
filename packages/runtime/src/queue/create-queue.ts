import type { Clock } from "@kedge/machinery";
import { DedupeQueue } from "./dedupe-queue.ts";
import { HeapDelayingQueue } from "./delaying-queue.ts";
import { silentQueueMetrics, type QueueMetricsProvider } from "./queue-metrics.ts";
import { BackoffQueue, type BackoffOptions } from "./rate-limiting-queue.ts";
import type { RateLimitingQueue } from "./types.ts";

/** What a controller's queue may be told. */
export interface QueueOptions extends BackoffOptions {
  readonly clock: Clock;
  /** Labels its metrics: the controller's name. */
  readonly name: string;
  /** Default: no metrics are kept. */
  readonly metrics?: QueueMetricsProvider;
}

/** The queue of a controller: one entry for each key, ordered by class, delayed, and backed off when it fails. */
export function createQueue({ clock, name, metrics: provider, ...backoff }: QueueOptions): RateLimitingQueue {
  const metrics = provider?.forQueue(name) ?? silentQueueMetrics;
  const dedupe = new DedupeQueue({ clock, metrics });
  const delaying = new HeapDelayingQueue({ clock, inner: dedupe, metrics });
  return new BackoffQueue({ clock, inner: delaying, ...backoff });
}
