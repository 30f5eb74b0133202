import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { ControllerMetrics } from "../controller/types.ts";

/** 40 buckets from 5 ms to 60 s, those of controller-runtime. */
const buckets = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5,
  1.75, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];

/** The metrics of controllers, under the names that dashboards for controller-runtime know. */
export function controllerMetrics(
  registry: Registry,
): ControllerMetrics & { declare(controller: string): void } {
  const registers = [registry];
  const labelNames = ["controller"];
  const counter = (name: string, help: string) => new Counter({ name, help, labelNames, registers });
  // Labels are looked up when somebody reads them, not for each run.
  const results = new Map<string, Map<string, number>>();
  const total = new Counter({
    name: "controller_runtime_reconcile_total",
    help: "Runs, by their result",
    labelNames: ["controller", "result"],
    registers,
    collect() {
      for (const [controller, counts] of results) {
        for (const [result, count] of counts) this.inc({ controller, result }, count);
        counts.clear();
      }
    },
  });
  const errors = counter("controller_runtime_reconcile_errors_total", "Runs that failed");
  const terminal = counter(
    "controller_runtime_terminal_reconcile_errors_total",
    "Runs that failed and are not tried again until something changes",
  );
  const timeouts = counter("controller_runtime_reconcile_timeouts_total", "Runs that took too long");
  const time = new Histogram({
    name: "controller_runtime_reconcile_time_seconds",
    help: "How long runs take",
    labelNames,
    buckets,
    registers,
  });
  const times = new Map<string, ReturnType<typeof time.labels>>();
  const workers = new Map<string, { readonly now: number; readonly limit: number }>();
  const gauge = (name: string, help: string, pick: (of: { now: number; limit: number }) => number) =>
    new Gauge({
      name,
      help,
      labelNames,
      registers,
      collect() {
        for (const [controller, of] of workers) this.set({ controller }, pick(of));
      },
    });
  gauge(
    "controller_runtime_max_concurrent_reconciles",
    "How many runs there may be at a time",
    ({ limit }) => limit,
  );
  gauge("controller_runtime_active_workers", "How many runs there are now", ({ now }) => now);
  return {
    // From zero on, so that rates can be computed.
    declare(controller) {
      for (const result of ["success", "error", "requeue", "requeue_after"])
        total.inc({ controller, result }, 0);
      for (const each of [errors, terminal, timeouts]) each.inc({ controller }, 0);
    },
    reconciled(controller, result, ms) {
      const isError = result === "error" || result === "timeout" || result === "terminal";
      const counts = results.get(controller) ?? new Map<string, number>();
      results.set(controller, counts);
      const text = isError ? "error" : result;
      counts.set(text, (counts.get(text) ?? 0) + 1);
      if (isError) errors.inc({ controller });
      if (result === "terminal") terminal.inc({ controller });
      if (result === "timeout") timeouts.inc({ controller });
      const timesOf = times.get(controller) ?? time.labels({ controller });
      times.set(controller, timesOf);
      timesOf.observe(ms / 1000);
    },
    workers(controller, now, limit) {
      workers.set(controller, { now, limit });
    },
  };
}
