import { Registry } from "prom-client";
import type { ControllerMetrics } from "../controller/types.ts";
import type { QueueMetricsProvider } from "../queue/queue-metrics.ts";
import { controllerMetrics } from "./controller-metrics.ts";
import { gaugeMetrics, type ManagerGauge } from "./gauge-metrics.ts";
import { workqueueMetrics } from "./workqueue-metrics.ts";

/** Where a manager and its parts count what they do. */
export interface ManagerMetrics {
  readonly controllers: ControllerMetrics & { declare(controller: string): void };
  /** Undefined: not kept. */
  readonly queues: QueueMetricsProvider | undefined;
  addGauge(gauge: ManagerGauge): void;
  readonly contentType: string;
  /** Prometheus' text. */
  text(): Promise<string>;
}

/** Metrics that can be read. */
export function keptMetrics(): ManagerMetrics {
  const registry = new Registry();
  return {
    controllers: controllerMetrics(registry),
    queues: workqueueMetrics(registry),
    addGauge: (gauge) => gaugeMetrics(registry, gauge),
    contentType: registry.contentType,
    text: () => registry.metrics(),
  };
}

/** For who never reads any: they take memory, and the library for them does. */
export const noMetrics: ManagerMetrics = {
  controllers: { declare: () => undefined, reconciled: () => undefined, workers: () => undefined },
  queues: undefined,
  addGauge: () => undefined,
  contentType: "text/plain",
  text: () => Promise.resolve(""),
};
