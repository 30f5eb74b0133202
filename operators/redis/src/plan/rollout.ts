import type { DeepReadonly } from "@kedge/machinery";
import type { StatefulSet } from "@kedge/machinery/kinds/apps/v1";

/** How far the StatefulSet controller has come. */
export interface Rollout {
  readonly wanted: number;
  readonly ready: number;
  /** It has not looked at the StatefulSet yet. */
  readonly isNew: boolean;
  /** Pods of an older template are being replaced. */
  readonly isRolling: boolean;
  /** Every pod that is wanted is ready, is of the newest template, and there are no others. */
  readonly isSettled: boolean;
}

/** Reads a rollout from a StatefulSet. A status about an older spec says nothing about this one. */
export function rolloutOf({ metadata, spec, status }: DeepReadonly<StatefulSet>): Rollout {
  const wanted = spec?.replicas ?? 1;
  const { observedGeneration, replicas = 0, readyReplicas = 0 } = status ?? {};
  const isCurrent = observedGeneration !== undefined && observedGeneration >= (metadata.generation ?? 0);
  // Not by the count of updated pods: one that is being stopped is in none of the counts, and may just have been lost.
  const isRolling = isCurrent && status?.currentRevision !== status?.updateRevision;
  return {
    wanted,
    ready: readyReplicas,
    isNew: observedGeneration === undefined,
    isRolling,
    isSettled: isCurrent && !isRolling && replicas === wanted && readyReplicas === wanted,
  };
}
