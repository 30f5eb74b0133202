import type { DeepReadonly } from "@kedge/machinery";
import type { ReplicaSet } from "@kedge/machinery/kinds/apps/v1";
import type { Pod } from "@kedge/machinery/kinds/core/v1";
import { leastMissedFirst, type DeletionView } from "../pods/deletion-order.ts";
import { isActive } from "../pods/pod-state.ts";

/** What a replica set's pods lack, or have too much of. */
export interface ReplicaSetPlan {
  readonly create: number;
  readonly delete: readonly DeepReadonly<Pod>[];
}

/** What the plan is made from. */
export interface ReplicaSetView extends DeletionView {
  readonly replicaSet: DeepReadonly<ReplicaSet>;
  readonly pods: readonly DeepReadonly<Pod>[];
}

/** How many pods one run makes or deletes at most. */
const burst = 500;

/** Brings the number of active pods to what the spec says. */
export function planReplicaSet({ replicaSet, pods, related, now }: ReplicaSetView): ReplicaSetPlan {
  if (replicaSet.metadata.deletionTimestamp !== undefined) return { create: 0, delete: [] };
  const active = pods.filter(isActive);
  const missing = (replicaSet.spec.replicas ?? 1) - active.length;
  if (missing >= 0) return { create: Math.min(missing, burst), delete: [] };
  return {
    create: 0,
    delete: leastMissedFirst(active, { related, now }).slice(0, Math.min(-missing, burst)),
  };
}
