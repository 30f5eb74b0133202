import { isConditionTrue, type DeepReadonly } from "@kedge/machinery";
import type { Pod } from "@kedge/machinery/kinds/core/v1";

/** How many pods there are. */
export interface PodCount {
  /** Those that serve: the phase of a pod stays Running while its container waits for an image or to be tried again. */
  readonly ready: number;
  readonly all: number;
}

/** Counts pods. */
export function countPods(pods: readonly DeepReadonly<Pick<Pod, "status">>[]): PodCount {
  const ready = pods.filter(({ status }) => isConditionTrue(status?.conditions, "Ready"));
  return { ready: ready.length, all: pods.length };
}
