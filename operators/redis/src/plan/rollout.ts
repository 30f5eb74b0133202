import type { DeepReadonly } from "@kedge/machinery";
import type { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import type { Pod } from "@kedge/machinery/kinds/core/v1";

/** How far pods are what the StatefulSet says. */
export interface Rollout {
  readonly wanted: number;
  readonly ready: number;
  /** Its controller has not looked at the StatefulSet yet. */
  readonly isNew: boolean;
  /** Pods of an older template are being replaced. */
  readonly isRolling: boolean;
  /** Every pod that is wanted is ready, is of the newest template, and there are no others. */
  readonly isSettled: boolean;
}

/** Reads a rollout from a StatefulSet and its pods. A status about an older spec says nothing about this one. */
export function rolloutOf(
  { metadata, spec, status }: DeepReadonly<StatefulSet>,
  pods: readonly DeepReadonly<Pod>[],
): Rollout {
  const wanted = spec?.replicas ?? 1;
  const { observedGeneration, replicas = 0, readyReplicas = 0, updateRevision } = status ?? {};
  const isCurrent = observedGeneration !== undefined && observedGeneration >= (metadata.generation ?? 0);
  // By the pods: a StatefulSet whose pods we replace never says that a template has become the current one.
  const revisions = pods.map((pod) => pod.metadata.labels?.["controller-revision-hash"] ?? updateRevision);
  const isRolling = isCurrent && revisions.some((revision) => revision !== updateRevision);
  return {
    wanted,
    ready: readyReplicas,
    isNew: observedGeneration === undefined,
    isRolling,
    isSettled: isCurrent && !isRolling && replicas === wanted && readyReplicas === wanted,
  };
}
