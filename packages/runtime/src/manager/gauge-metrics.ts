import { Counter, Gauge, type Registry } from "prom-client";

/** A number for each set of labels, read when somebody asks for metrics. */
export interface ManagerGauge {
  /** Prometheus' own form: `kedge_redis_instances`. */
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  /** A number that only grows, but for a start of the process, is a counter. Default: a gauge. */
  readonly type?: "gauge" | "counter";
  /** Must not throw and must not wait. */
  readonly values: () => readonly GaugeValue[];
}

/** One number. */
export interface GaugeValue {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Has the registry ask a gauge for its numbers; what it does not say any more is not told any more. */
export function gaugeMetrics(
  registry: Registry,
  { name, help, labelNames, type = "gauge", values }: ManagerGauge,
): void {
  const Metric = type === "counter" ? Counter : Gauge;
  const metric = new Metric({
    name,
    help,
    labelNames: [...labelNames],
    registers: [registry],
    collect() {
      metric.reset();
      for (const { labels, value } of values()) metric.inc({ ...labels }, value);
    },
  });
}
