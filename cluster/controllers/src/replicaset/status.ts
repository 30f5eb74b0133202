import { selectorFromLabels, selectorMatches, type DeepReadonly } from "@kedge/machinery";
import type { ReplicaSet, ReplicaSetStatus } from "@kedge/machinery/kinds/apps/v1";
import type { Pod } from "@kedge/machinery/kinds/core/v1";
import { isActive, isAvailable, isReady, isTerminating, untilAvailable } from "../pods/pod-state.ts";

/** What is to be said of a replica set, and when it changes by the passing of time alone. */
export interface ReplicaSetReport {
  readonly status: ReplicaSetStatus;
  readonly lookAgainAfter: number | undefined;
}

/** Counts the pods. */
export function reportReplicaSet(
  replicaSet: DeepReadonly<ReplicaSet>,
  pods: readonly DeepReadonly<Pod>[],
  now: number,
): ReplicaSetReport {
  const { spec, metadata, status: before } = replicaSet;
  const minReadySeconds = spec.minReadySeconds ?? 0;
  const active = pods.filter(isActive);
  const wanted = selectorFromLabels(spec.template?.metadata?.labels ?? {});
  const waits = active
    .map((pod) => untilAvailable(pod, minReadySeconds, now))
    .filter((wait) => wait !== undefined)
    .filter((wait) => wait > 0);
  return {
    status: {
      replicas: active.length,
      fullyLabeledReplicas: active.filter((pod) => selectorMatches(wanted, pod.metadata.labels ?? {})).length,
      readyReplicas: active.filter(isReady).length,
      availableReplicas: active.filter((pod) => isAvailable(pod, minReadySeconds, now)).length,
      terminatingReplicas: pods.filter(isTerminating).length,
      observedGeneration: metadata.generation,
      ...(before?.conditions === undefined
        ? {}
        : { conditions: before.conditions.map((condition) => ({ ...condition })) }),
    },
    lookAgainAfter: waits.length === 0 ? undefined : Math.min(...waits),
  };
}
