import { podTotal, quantityToNumber } from "@kedge/machinery";
import type { ApiPod } from "../model/types.ts";
import type { StarvedResource } from "./thresholds.ts";
import type { PodUse } from "./types.ts";

/** A pod, and what it uses. */
export interface PodWithUse {
  readonly pod: ApiPod;
  readonly use: PodUse;
}

/** From here on a pod is part of the system, and is never thrown out. */
const systemCritical = 2_000_000_000;

/** Whether a node goes down with it rather than without it. */
export function isCritical({ spec }: ApiPod): boolean {
  return (spec?.priority ?? 0) >= systemCritical;
}

/**
 * The order in which pods are asked to go, as the kubelet has it: who uses more than it has asked for before who does not,
 * then the less important, then who uses the most beyond what it has asked for.
 */
export function rankPods(resource: StarvedResource, pods: readonly PodWithUse[]): readonly ApiPod[] {
  return pods
    .map(({ pod, use }) => {
      const used = usedOf(resource, use);
      const beyond = used - requestOf(resource, pod);
      // Of processes and inodes nothing is asked for.
      const exceeds = resource !== "pids" && beyond > 0;
      return { pod, exceeds, beyond, priority: pod.spec?.priority ?? 0 };
    })
    .toSorted(
      (a, b) => Number(b.exceeds) - Number(a.exceeds) || a.priority - b.priority || b.beyond - a.beyond,
    )
    .map(({ pod }) => pod);
}

function usedOf(resource: StarvedResource, use: PodUse): number {
  switch (resource) {
    case "memory":
      return total(use.memory.values());
    case "ephemeral-storage":
      return total(use.disk.values()) + use.volumes;
    case "inodes":
      return use.inodes;
    case "pids":
      return use.processes;
  }
}

function total(numbers: Iterable<number>): number {
  return [...numbers].reduce((sum, one) => sum + one, 0);
}

function requestOf(resource: StarvedResource, pod: ApiPod): number {
  const asked = podTotal(pod.spec ?? {}, ({ resources }) => resources?.requests?.[resource]);
  return asked === undefined ? 0 : quantityToNumber(asked);
}
