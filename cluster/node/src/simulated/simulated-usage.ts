import type { Clock } from "@kedge/machinery";
import { sum } from "../stats/summary.ts";
import type { NodeUsage, Usage } from "../stats/usage-sampler.ts";
import type { SimulatedContainer } from "./simulated-runtime.ts";

/** Over how long the rates of simulated containers would have been measured: they never change. */
const windowMs = 10_000;

/** What the containers of a simulated node use: what their lives say, from the first moment on. */
export function simulatedUsage(containers: readonly SimulatedContainer[], clock: Clock): NodeUsage {
  const time = clock.now();
  const running = containers.filter(({ info }) => info.state === "running");
  const used = running.map(({ info, life }) => ({
    container: info,
    usage: usageOf(life, { time, startedAt: info.startedAt ?? time }),
  }));
  return { node: { ...sum(used.map(({ usage }) => usage)), time, windowMs }, containers: used };
}

function usageOf(
  { cpuNanocores = 0, memoryBytes = 0 }: SimulatedContainer["life"],
  { time, startedAt }: { readonly time: number; readonly startedAt: number },
): Usage {
  const cpuNanoseconds = Math.round(((time - startedAt) / 1000) * cpuNanocores);
  return { time, windowMs, cpuNanocores, cpuNanoseconds, workingSetBytes: memoryBytes };
}
