import type { DeepReadonly } from "@kedge/machinery";
import type { Deployment, ReplicaSet } from "@kedge/machinery/kinds/apps/v1";
import { revisionOf } from "./replica-sets.ts";

/** The old replica sets beyond what history keeps, the oldest templates first; those with pods stay. */
export function beyondHistory(
  deployment: DeepReadonly<Deployment>,
  old: readonly DeepReadonly<ReplicaSet>[],
): readonly DeepReadonly<ReplicaSet>[] {
  const kept = old
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .toSorted((one, other) => revisionOf(one) - revisionOf(other));
  const surplus = Math.max(0, kept.length - (deployment.spec.revisionHistoryLimit ?? 10));
  return kept.slice(0, surplus).filter(isIdle);
}

function isIdle({ spec, status, metadata }: DeepReadonly<ReplicaSet>): boolean {
  return (
    spec.replicas === 0 &&
    (status?.replicas ?? 0) === 0 &&
    (metadata.generation ?? 0) <= (status?.observedGeneration ?? 0)
  );
}
