import { formatTime, selectorFromLabels, selectorMatches, type DeepReadonly } from "@kedge/machinery";
import type { ReplicaSet, ReplicaSetCondition, ReplicaSetStatus } from "@kedge/machinery/kinds/apps/v1";
import type { Pod } from "@kedge/machinery/kinds/core/v1";
import {
  hasEnded,
  isActive,
  isAvailable,
  isReady,
  isTerminating,
  untilNextAvailable,
} from "../pods/pod-state.ts";

/** What is to be said of a replica set, and when it changes by the passing of time alone. */
export interface ReplicaSetReport {
  readonly status: ReplicaSetStatus;
  readonly lookAgainAfter: number | undefined;
}

/** How the last attempt to make or delete pods went. */
export interface ReplicaSetOutcome {
  readonly failure?: Error | undefined;
  readonly now: number;
}

/** Counts the pods, and tells of a failure to make or delete some. */
export function reportReplicaSet(
  replicaSet: DeepReadonly<ReplicaSet>,
  pods: readonly DeepReadonly<Pod>[],
  outcome: ReplicaSetOutcome,
): ReplicaSetReport {
  const { spec, metadata } = replicaSet;
  const { now } = outcome;
  const minReadySeconds = spec.minReadySeconds ?? 0;
  const active = pods.filter(isActive);
  const wanted = selectorFromLabels(spec.template?.metadata?.labels ?? {});
  const conditions = conditionsOf(replicaSet, active.length, outcome);
  return {
    status: {
      replicas: active.length,
      fullyLabeledReplicas: active.filter((pod) => selectorMatches(wanted, pod.metadata.labels ?? {})).length,
      readyReplicas: active.filter(isReady).length,
      availableReplicas: active.filter((pod) => isAvailable(pod, minReadySeconds, now)).length,
      terminatingReplicas: pods.filter((pod) => isTerminating(pod) && !hasEnded(pod)).length,
      observedGeneration: metadata.generation,
      ...(conditions.length === 0 ? {} : { conditions }),
    },
    lookAgainAfter: untilNextAvailable(active, minReadySeconds, now),
  };
}

/** A failure is told once, as it was first, until the next attempt goes well. */
function conditionsOf(
  { spec, status }: DeepReadonly<ReplicaSet>,
  active: number,
  { failure, now }: ReplicaSetOutcome,
): ReplicaSetCondition[] {
  const before = (status?.conditions ?? []).map((condition) => ({ ...condition }));
  const others = before.filter(({ type }) => type !== "ReplicaFailure");
  if (failure === undefined) return others;
  if (others.length < before.length) return before;
  const condition = {
    type: "ReplicaFailure",
    status: "True",
    reason: active < (spec.replicas ?? 1) ? "FailedCreate" : "FailedDelete",
    message: failure.message,
    lastTransitionTime: formatTime(now),
  };
  return [...others, condition];
}
