import { findCondition, formatTime, type DeepReadonly } from "@kedge/machinery";
import type { Pod, PodCondition } from "@kedge/machinery/kinds/core/v1";

/** Why a pod is about to go, in its status: who counts failures of pods (Jobs) must know that it was not its fault. */
export function disruptionTarget(
  { metadata, status }: DeepReadonly<Pod>,
  why: { readonly reason: string; readonly message: string },
  now: number,
): PodCondition {
  const before = findCondition(status?.conditions, "DisruptionTarget");
  const kept = before?.status === "True" ? before.lastTransitionTime : undefined;
  return {
    type: "DisruptionTarget",
    status: "True",
    ...why,
    lastTransitionTime: kept ?? formatTime(now),
    ...(metadata.generation !== undefined && { observedGeneration: metadata.generation }),
  };
}
