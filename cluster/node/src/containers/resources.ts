import { parseQuantity, quantityMilliValue, quantityToNumber } from "@kedge/machinery";
import type { ApiPod, ContainerDefinition } from "../model/types.ts";
import type { ContainerResources } from "../runtime/types.ts";

const cpuPeriodMicroseconds = 100_000;
const leastShares = 2;
const leastQuotaMicroseconds = 1_000;

/** A container's limits in the units of cgroups, as the kubelet computes them. */
export function resourcesOf(
  pod: ApiPod,
  container: ContainerDefinition,
  nodeMemoryBytes: number,
): ContainerResources {
  const { requests, limits } = container.resources ?? {};
  const cpuLimit = milli(limits?.["cpu"]);
  const cpuRequest = milli(requests?.["cpu"] ?? limits?.["cpu"]);
  const memoryLimit = bytes(limits?.["memory"]);
  return {
    cpuShares: Math.max(leastShares, Math.floor((cpuRequest * 1024) / 1000)),
    ...(cpuLimit > 0 && {
      cpuQuotaMicroseconds: Math.max(leastQuotaMicroseconds, (cpuLimit * cpuPeriodMicroseconds) / 1000),
      cpuPeriodMicroseconds,
    }),
    ...(memoryLimit > 0 && { memoryLimitBytes: memoryLimit }),
    oomScoreAdjust: oomScore(pod, bytes(requests?.["memory"] ?? limits?.["memory"]), nodeMemoryBytes),
  };
}

/**
 * Who is killed first when the node has no memory left: those that asked for none, then those that asked for little.
 * The kubelet goes down to -997 for guaranteed pods; we stop at 0, because machines without CAP_SYS_RESOURCE refuse less.
 */
function oomScore(pod: ApiPod, memoryRequest: number, nodeMemoryBytes: number): number {
  switch (pod.status?.qosClass) {
    case "Guaranteed":
      return 0;
    case "Burstable": {
      const score = 1000 - Math.floor((1000 * memoryRequest) / Math.max(1, nodeMemoryBytes));
      return Math.min(999, Math.max(3, score));
    }
    default:
      return 1000;
  }
}

function milli(quantity: string | undefined): number {
  return quantity === undefined ? 0 : Number(quantityMilliValue(parseQuantity(quantity)));
}

function bytes(quantity: string | undefined): number {
  return quantity === undefined ? 0 : quantityToNumber(parseQuantity(quantity));
}
