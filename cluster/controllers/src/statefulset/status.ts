import type { DeepReadonly } from "@kedge/machinery";
import type { StatefulSetStatus } from "@kedge/machinery/kinds/apps/v1";
import type { Pod } from "@kedge/machinery/kinds/core/v1";
import { isAvailable, isReady, isTerminating } from "../pods/pod-state.ts";
import { ordinalOf, revisionLabel } from "./identity.ts";
import type { StatefulSetView } from "./plan.ts";

/** Counts a set's pods. An update is complete when all pods are ready and of the spec's revision. */
export function reportStatefulSet({ set, pods, current, update, now }: StatefulSetView): StatefulSetStatus {
  const mine = pods.filter((pod) => ordinalOf(set.metadata.name, pod.metadata.name) !== undefined);
  const count = (which: (pod: DeepReadonly<Pod>) => boolean): number => mine.filter(which).length;
  const replicas = set.spec.replicas ?? 1;
  const updated = count((pod) => isOf(update.name, pod));
  const ready = count(isRunning);
  const complete =
    set.spec.updateStrategy?.type !== "OnDelete" &&
    updated === replicas &&
    ready === replicas &&
    mine.length === replicas;
  const currentRevision = complete ? update.name : current.name;
  return {
    replicas: mine.length,
    readyReplicas: ready,
    availableReplicas: count((pod) => isRunning(pod) && isAvailable(pod, set.spec.minReadySeconds ?? 0, now)),
    currentReplicas: count((pod) => isOf(currentRevision, pod)),
    updatedReplicas: updated,
    currentRevision,
    updateRevision: update.name,
    collisionCount: set.status?.collisionCount ?? 0,
    observedGeneration: set.metadata.generation,
  };
}

function isOf(revision: string, pod: DeepReadonly<Pod>): boolean {
  return !isTerminating(pod) && pod.metadata.labels?.[revisionLabel] === revision;
}

function isRunning(pod: DeepReadonly<Pod>): boolean {
  return pod.status?.phase === "Running" && isReady(pod);
}
