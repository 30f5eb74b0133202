import { readFile } from "node:fs/promises";
import type { CgroupUsage } from "../runtime/cgroup-usage.ts";

/** The kernel counts processor time in hundredths of a second. */
const tickNanoseconds = 10_000_000;

/** What the whole machine has used since it was started. */
export async function machineUsage(): Promise<CgroupUsage> {
  const [stat, memory] = await Promise.all([
    readFile("/proc/stat", "utf8"),
    readFile("/proc/meminfo", "utf8"),
  ]);
  return { cpuNanoseconds: busyTicks(stat) * tickNanoseconds, workingSetBytes: usedBytes(memory) };
}

/** All but the time in which nothing was to be done. */
export function busyTicks(stat: string): number {
  const [, ...ticks] = (/^cpu .*$/mu.exec(stat)?.[0] ?? "").split(/\s+/u).map(Number);
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = ticks;
  return user + nice + system + irq + softirq + steal;
}

/** What is not available to whoever would ask for it now. */
export function usedBytes(meminfo: string): number {
  const kib = (name: string): number =>
    Number(new RegExp(`^${name}: +(\\d+) kB`, "mu").exec(meminfo)?.[1] ?? 0);
  return Math.max(0, kib("MemTotal") - kib("MemAvailable")) * 1024;
}
