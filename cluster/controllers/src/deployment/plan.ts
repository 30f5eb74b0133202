import { resolveIntOrPercent, type DeepReadonly, type Draft } from "@kedge/machinery";
import type { Deployment, ReplicaSet } from "@kedge/machinery/kinds/apps/v1";
import type { Pod } from "@kedge/machinery/kinds/core/v1";
import { draftReplicaSet, newReplicaSetOf, revisionOf } from "./replica-sets.ts";

/** One thing to do for a deployment. */
export type DeploymentAction =
  | { readonly type: "create"; readonly replicaSet: Draft<ReplicaSet> }
  | { readonly type: "scale"; readonly replicaSet: DeepReadonly<ReplicaSet>; readonly replicas: number }
  | { readonly type: "renumber"; readonly replicaSet: DeepReadonly<ReplicaSet>; readonly revision: number }
  | { readonly type: "delete"; readonly replicaSet: DeepReadonly<ReplicaSet> };

/** What the plan is made from. */
export interface DeploymentView {
  readonly deployment: DeepReadonly<Deployment>;
  readonly replicaSets: readonly DeepReadonly<ReplicaSet>[];
  readonly pods: readonly DeepReadonly<Pod>[];
}

/** The next steps towards the spec's template and size. */
export function planDeployment(view: DeploymentView): readonly DeploymentAction[] {
  const { deployment, replicaSets } = view;
  if (deployment.metadata.deletionTimestamp !== undefined) return [];
  const current = newReplicaSetOf(deployment, replicaSets);
  const old = replicaSets.filter((replicaSet) => replicaSet !== current);
  const paused = deployment.spec.paused === true;
  if (paused && current === undefined) return [];
  const lastRevision = Math.max(0, ...old.map(revisionOf));
  const limits = limitsOf(deployment);
  if (current === undefined) {
    const replicas = isRecreate(deployment) && hasPods(view) ? 0 : roomFor(limits, 0, old);
    const options = { replicas, revision: lastRevision + 1, most: limits.most };
    return [{ type: "create", replicaSet: draftReplicaSet(deployment, options) }];
  }
  const renumber: DeploymentAction[] =
    revisionOf(current) <= lastRevision
      ? [{ type: "renumber", replicaSet: current, revision: lastRevision + 1 }]
      : [];
  const scales = isRecreate(deployment) ? recreate(view, current, old) : roll(limits, current, old, paused);
  return [...renumber, ...scales, ...forget(deployment, current, old)];
}

/** How many pods there may be, and how many there must be. */
interface Limits {
  readonly wanted: number;
  readonly most: number;
  readonly least: number;
}

/** The spec's limits while pods are replaced. */
export function limitsOf(deployment: DeepReadonly<Deployment>): Limits {
  const wanted = deployment.spec.replicas ?? 1;
  if (isRecreate(deployment)) return { wanted, most: wanted, least: 0 };
  const { maxSurge, maxUnavailable } = deployment.spec.strategy?.rollingUpdate ?? {};
  const surge = resolveIntOrPercent(maxSurge ?? "25%", wanted, "up");
  const unavailable = resolveIntOrPercent(maxUnavailable ?? "25%", wanted, "down");
  // Neither more nor fewer would mean that nothing could ever be replaced.
  const missing = surge === 0 && unavailable === 0 ? 1 : Math.min(unavailable, wanted);
  return { wanted, most: wanted + surge, least: wanted - missing };
}

function roll(
  limits: Limits,
  current: DeepReadonly<ReplicaSet>,
  old: readonly DeepReadonly<ReplicaSet>[],
  paused: boolean,
): readonly DeploymentAction[] {
  const size = sizeOf(current);
  if (old.every((replicaSet) => sizeOf(replicaSet) === 0)) return scale(current, limits.wanted);
  if (paused) return [];
  if (size > limits.wanted) return scale(current, limits.wanted);
  const grown = roomFor(limits, size, old);
  if (grown !== size) return scale(current, grown);
  return shrink(limits, current, old);
}

/** How large the new replica set may be beside the old ones. */
function roomFor(limits: Limits, size: number, old: readonly DeepReadonly<ReplicaSet>[]): number {
  const others = old.reduce((sum, replicaSet) => sum + sizeOf(replicaSet), 0);
  return Math.max(size, Math.min(limits.wanted, limits.most - others));
}

/** Old pods go as far as enough others are available; those that do not serve go first. */
function shrink(
  limits: Limits,
  current: DeepReadonly<ReplicaSet>,
  old: readonly DeepReadonly<ReplicaSet>[],
): readonly DeploymentAction[] {
  const all = [current, ...old].reduce((sum, replicaSet) => sum + sizeOf(replicaSet), 0);
  const missingOfNew = sizeOf(current) - availableOf(current);
  let spare = all - limits.least - missingOfNew;
  const oldest = old
    .filter((replicaSet) => sizeOf(replicaSet) > 0)
    .toSorted((one, other) => (one.metadata.creationTimestamp < other.metadata.creationTimestamp ? -1 : 1));
  const sizes = new Map(oldest.map((replicaSet) => [replicaSet, sizeOf(replicaSet)]));
  for (const replicaSet of oldest) {
    const idle = Math.min(Math.max(0, spare), sizeOf(replicaSet) - availableOf(replicaSet));
    sizes.set(replicaSet, sizeOf(replicaSet) - idle);
    spare -= idle;
  }
  const available = [current, ...old].reduce((sum, replicaSet) => sum + availableOf(replicaSet), 0);
  let removable = Math.max(0, Math.min(spare, available - limits.least));
  for (const replicaSet of oldest) {
    const size = sizes.get(replicaSet) ?? 0;
    const fewer = Math.min(removable, size);
    sizes.set(replicaSet, size - fewer);
    removable -= fewer;
  }
  return oldest.flatMap((replicaSet) => scale(replicaSet, sizes.get(replicaSet) ?? 0));
}

/** All old pods first, then the new ones. */
function recreate(
  view: DeploymentView,
  current: DeepReadonly<ReplicaSet>,
  old: readonly DeepReadonly<ReplicaSet>[],
): readonly DeploymentAction[] {
  const down = old.flatMap((replicaSet) => scale(replicaSet, 0));
  if (down.length > 0) return down;
  const oldUids = new Set<string>(old.map(({ metadata }) => metadata.uid));
  const left = view.pods.some(({ metadata }) =>
    (metadata.ownerReferences ?? []).some(({ uid }) => oldUids.has(uid)),
  );
  return left ? [] : scale(current, view.deployment.spec.replicas ?? 1);
}

/** Old replica sets without pods, beyond what history keeps. */
function forget(
  deployment: DeepReadonly<Deployment>,
  current: DeepReadonly<ReplicaSet>,
  old: readonly DeepReadonly<ReplicaSet>[],
): readonly DeploymentAction[] {
  const wanted = deployment.spec.replicas ?? 1;
  // While an update is under way, the way back stays open.
  if (availableOf(current) < wanted) return [];
  const idle = old
    .filter(
      ({ spec, status, metadata }) =>
        spec.replicas === 0 && (status?.replicas ?? 0) === 0 && metadata.deletionTimestamp === undefined,
    )
    .toSorted((one, other) => revisionOf(one) - revisionOf(other));
  const surplus = Math.max(0, idle.length - (deployment.spec.revisionHistoryLimit ?? 10));
  return idle.slice(0, surplus).map((replicaSet) => ({ type: "delete", replicaSet }));
}

function scale(replicaSet: DeepReadonly<ReplicaSet>, replicas: number): readonly DeploymentAction[] {
  return sizeOf(replicaSet) === replicas ? [] : [{ type: "scale", replicaSet, replicas }];
}

function sizeOf({ spec }: DeepReadonly<ReplicaSet>): number {
  return spec.replicas ?? 1;
}

function availableOf({ status }: DeepReadonly<ReplicaSet>): number {
  return status?.availableReplicas ?? 0;
}

function hasPods({ pods }: DeploymentView): boolean {
  return pods.some(({ status }) => status?.phase !== "Failed" && status?.phase !== "Succeeded");
}

function isRecreate({ spec }: DeepReadonly<Deployment>): boolean {
  return spec.strategy?.type === "Recreate";
}
