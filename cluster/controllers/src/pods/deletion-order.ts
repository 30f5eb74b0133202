import type { DeepReadonly } from "@kedge/machinery";
import type { Pod } from "@kedge/machinery/kinds/core/v1";
import { isReady } from "./pod-state.ts";

const phases = ["Pending", "Unknown", "Running"];

/** Pods from the one that is missed least to the one that is missed most. */
export function leastMissedFirst(pods: readonly DeepReadonly<Pod>[]): readonly DeepReadonly<Pod>[] {
  return pods.toSorted((one, other) => {
    for (const criterion of criteria) {
      const difference = criterion(one) - criterion(other);
      if (difference !== 0) return difference;
    }
    // The younger one goes first.
    return one.metadata.creationTimestamp < other.metadata.creationTimestamp ? 1 : -1;
  });
}

const criteria: readonly ((pod: DeepReadonly<Pod>) => number)[] = [
  (pod) => (pod.spec.nodeName === undefined ? 0 : 1),
  (pod) => phases.indexOf(pod.status?.phase ?? "Pending"),
  (pod) => (isReady(pod) ? 1 : 0),
  (pod) => Number(pod.metadata.annotations?.["controller.kubernetes.io/pod-deletion-cost"] ?? 0),
  (pod) => -Math.max(0, ...(pod.status?.containerStatuses ?? []).map(({ restartCount }) => restartCount)),
];
