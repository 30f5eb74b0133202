export { createLogger, logLevels, type LoggerOptions, type LogLevel } from "./logging/create-logger.ts";
export { createQueue, type QueueOptions } from "./queue/create-queue.ts";
export {
  silentQueueMetrics,
  type QueueMetrics,
  type QueueMetricsProvider,
  type RunningWork,
} from "./queue/queue-metrics.ts";
export type { BackoffOptions } from "./queue/rate-limiting-queue.ts";
export {
  priorities,
  type Cause,
  type DelayingQueue,
  type Priority,
  type Queue,
  type RateLimitingQueue,
  type Trigger,
  type WorkItem,
} from "./queue/types.ts";
