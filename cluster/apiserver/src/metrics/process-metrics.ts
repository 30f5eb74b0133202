import { readdirSync } from "node:fs";
import { version } from "../health/version.ts";
import type { MetricFamily } from "./exposition.ts";

/**
 * What this process uses, under the names that all programs have for it, and which program it is. `started` is in
 * milliseconds since 1970.
 */
export function processMetrics(started: number): readonly MetricFamily[] {
  const { user, system } = process.cpuUsage();
  const { gitVersion, major, minor, platform } = version;
  return [
    {
      name: "process_cpu_seconds_total",
      help: "Seconds of CPU, of user and system.",
      type: "counter",
      samples: [{ labels: {}, value: (user + system) / 1e6 }],
    },
    ...gauge("process_resident_memory_bytes", "Memory in use.", process.memoryUsage.rss()),
    ...gauge("process_start_time_seconds", "When it started, since 1970.", started / 1000),
    ...gauge("process_open_fds", "Open files and connections.", openFiles()),
    {
      name: "kubernetes_build_info",
      help: "Always 1; its labels tell the version.",
      type: "gauge",
      samples: [{ labels: { git_version: gitVersion, major, minor, platform }, value: 1 }],
    },
  ];
}

function gauge(name: string, help: string, value: number | undefined): readonly MetricFamily[] {
  return value === undefined ? [] : [{ name, help, type: "gauge", samples: [{ labels: {}, value }] }];
}

function openFiles(): number | undefined {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    // There is no such folder on other systems.
    return undefined;
  }
}
