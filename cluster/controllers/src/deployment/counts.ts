import type { DeepReadonly } from "@kedge/machinery";
import type { ReplicaSet } from "@kedge/machinery/kinds/apps/v1";
import { sizeOf } from "./replica-sets.ts";

/** How many pods there are, by what is known of them. */
export type DeploymentCounts = ReturnType<typeof countsOf>;

/** Counts the pods of all replica sets, and those of the newest. */
export function countsOf(
  replicaSets: readonly DeepReadonly<ReplicaSet>[],
  current: DeepReadonly<ReplicaSet> | undefined,
) {
  const sum = (of: (status: DeepReadonly<NonNullable<ReplicaSet["status"]>>) => number | undefined): number =>
    replicaSets.reduce((total, { status }) => total + (status === undefined ? 0 : (of(status) ?? 0)), 0);
  const availableReplicas = sum((status) => status.availableReplicas);
  const size = replicaSets.reduce((total, replicaSet) => total + sizeOf(replicaSet), 0);
  return {
    replicas: sum((status) => status.replicas),
    updatedReplicas: current?.status?.replicas ?? 0,
    readyReplicas: sum((status) => status.readyReplicas),
    availableReplicas,
    unavailableReplicas: Math.max(0, size - availableReplicas),
    terminatingReplicas: sum((status) => status.terminatingReplicas),
  };
}
