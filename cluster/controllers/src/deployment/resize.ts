import type { DeepReadonly } from "@kedge/machinery";
import type { Deployment, ReplicaSet } from "@kedge/machinery/kinds/apps/v1";
import { isRecreate, limitsOf, type Limits } from "./limits.ts";
import { availableOf, desiredOf, mostOf, newestFirst, oldestFirst, sizeOf } from "./replica-sets.ts";
import type { Resizing } from "./rolling.ts";

type AnySet = DeepReadonly<ReplicaSet>;

/** Whether the deployment's size changed since its replica sets were last given theirs. */
export function isResized(deployment: DeepReadonly<Deployment>, replicaSets: readonly AnySet[]): boolean {
  return replicaSets.some((replicaSet) => {
    const desired = desiredOf(replicaSet);
    return sizeOf(replicaSet) > 0 && desired !== undefined && desired !== (deployment.spec.replicas ?? 1);
  });
}

/**
 * Gives another size of the deployment to its replica sets without going on with a roll-out: to the one that has pods,
 * or, in the middle of a roll-out, to all that have some, in proportion.
 */
export function resize(
  deployment: DeepReadonly<Deployment>,
  current: AnySet | undefined,
  old: readonly AnySet[],
): readonly Resizing[] {
  const limits = limitsOf(deployment);
  const active = [...old, ...(current === undefined ? [] : [current])].filter((set) => sizeOf(set) > 0);
  if (active.length <= 1) {
    const only = active[0] ?? current ?? newestFirst(old)[0];
    return only === undefined ? [] : [{ replicaSet: only, replicas: limits.wanted }];
  }
  if (isSaturated(limits, current)) {
    return active.filter((set) => set !== current).map((replicaSet) => ({ replicaSet, replicas: 0 }));
  }
  return isRecreate(deployment) ? [] : inProportion(deployment, limits, active);
}

/** Whether the new replica set has all pods that the deployment wants, and they serve. */
function isSaturated({ wanted }: Limits, current: AnySet | undefined): boolean {
  return (
    current !== undefined &&
    sizeOf(current) === wanted &&
    desiredOf(current) === wanted &&
    availableOf(current) === wanted
  );
}

function inProportion(
  deployment: DeepReadonly<Deployment>,
  limits: Limits,
  active: readonly AnySet[],
): readonly Resizing[] {
  const allowed = limits.wanted === 0 ? 0 : limits.most;
  const change = allowed - active.reduce((sum, replicaSet) => sum + sizeOf(replicaSet), 0);
  // The larger take more; of equal ones the newer grow and the older shrink first.
  const byAge = change > 0 ? newestFirst(active) : oldestFirst(active);
  const ordered = byAge.toSorted((one, other) => sizeOf(other) - sizeOf(one));
  let left = change;
  const sizes = ordered.map((replicaSet) => {
    const share = shareOf(deployment, limits, replicaSet);
    const part = change > 0 ? Math.min(share, left) : change < 0 ? Math.max(share, left) : 0;
    left -= part;
    return { replicaSet, replicas: sizeOf(replicaSet) + part };
  });
  // What rounding left over goes to the largest.
  return sizes.map(({ replicaSet, replicas }, index) => ({
    replicaSet,
    replicas: index === 0 ? Math.max(0, replicas + left) : replicas,
  }));
}

/** By how much a replica set changes when it keeps its part of the whole. */
function shareOf(deployment: DeepReadonly<Deployment>, limits: Limits, replicaSet: AnySet): number {
  const size = sizeOf(replicaSet);
  if (limits.wanted === 0) return -size;
  const noted = mostOf(replicaSet) ?? 0;
  const before = noted > 0 ? noted : (deployment.status?.replicas ?? 0);
  return before === 0 ? 0 : Math.round((size * limits.most) / before) - size;
}
