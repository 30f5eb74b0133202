import { deepEqual, type DeepReadonly, type Draft } from "@kedge/machinery";
import type { Deployment, ReplicaSet } from "@kedge/machinery/kinds/apps/v1";
import type { Pod } from "@kedge/machinery/kinds/core/v1";
import { hasEnded } from "../pods/pod-state.ts";
import { beyondHistory } from "./history.ts";
import { isRecreate, limitsOf } from "./limits.ts";
import {
  alignedAnnotations,
  availableOf,
  desiredOf,
  draftReplicaSet,
  mostOf,
  newReplicaSetOf,
  revisionOf,
  sizeOf,
} from "./replica-sets.ts";
import { isResized, resize } from "./resize.ts";
import { newSize, roll, type Resizing } from "./rolling.ts";

/** One thing to do for a deployment. */
export type DeploymentAction =
  | { readonly type: "create"; readonly replicaSet: Draft<ReplicaSet> & { metadata: { name: string } } }
  | ({ readonly type: "scale" } & Resizing)
  | {
      /** Brings what a replica set says about its deployment up to date. */
      readonly type: "align";
      readonly replicaSet: DeepReadonly<ReplicaSet>;
      readonly annotations: Readonly<Record<string, string>>;
      readonly minReadySeconds: number;
    }
  | { readonly type: "delete"; readonly replicaSet: DeepReadonly<ReplicaSet> };

/** What the plan is made from. */
export interface DeploymentView {
  readonly deployment: DeepReadonly<Deployment>;
  readonly replicaSets: readonly DeepReadonly<ReplicaSet>[];
  readonly pods: readonly DeepReadonly<Pod>[];
}

/** A deployment's replica sets, apart by whether they have the spec's template. */
interface Parts {
  readonly current: DeepReadonly<ReplicaSet> | undefined;
  readonly old: readonly DeepReadonly<ReplicaSet>[];
}

/** The next steps towards the spec's template and size. */
export function planDeployment(view: DeploymentView): readonly DeploymentAction[] {
  const { deployment, replicaSets } = view;
  if (deployment.metadata.deletionTimestamp !== undefined) return [];
  const current = newReplicaSetOf(deployment, replicaSets);
  const parts = { current, old: replicaSets.filter((replicaSet) => replicaSet !== current) };
  // Sizes are changed by the version that they were planned on, so an alignment is a run of its own.
  const aligned = align(deployment, parts);
  if (aligned.length > 0) return aligned;
  const paused = deployment.spec.paused === true;
  // While it is paused, or when only its size has changed, no roll-out goes on.
  if (paused || isResized(deployment, replicaSets)) {
    const sizes = scale(deployment, resize(deployment, current, parts.old));
    return [...sizes, ...(paused ? forget(deployment, parts.old) : [])];
  }
  const steps = isRecreate(deployment) ? recreate(view, parts) : rollOut(view, parts);
  return [...steps, ...(isDone(deployment, parts) ? forget(deployment, parts.old) : [])];
}

function rollOut({ deployment }: DeploymentView, { current, old }: Parts): readonly DeploymentAction[] {
  const limits = limitsOf(deployment);
  if (current === undefined) return [create(deployment, old, newSize(limits, 0, old))];
  return scale(deployment, roll(limits, current, old));
}

/** All old pods first, then the new ones. */
function recreate(
  { deployment, pods }: DeploymentView,
  { current, old }: Parts,
): readonly DeploymentAction[] {
  const down = scale(
    deployment,
    old.filter((replicaSet) => sizeOf(replicaSet) > 0).map((replicaSet) => ({ replicaSet, replicas: 0 })),
  );
  if (down.length > 0) return down;
  const oldUids = new Set<string>(old.map(({ metadata }) => metadata.uid));
  const isLeft = (pod: DeepReadonly<Pod>): boolean =>
    !hasEnded(pod) && (pod.metadata.ownerReferences ?? []).some(({ uid }) => oldUids.has(uid));
  if (pods.some(isLeft)) return [];
  const replicas = deployment.spec.replicas ?? 1;
  return current === undefined
    ? [create(deployment, old, replicas)]
    : scale(deployment, [{ replicaSet: current, replicas }]);
}

function create(
  deployment: DeepReadonly<Deployment>,
  old: readonly DeepReadonly<ReplicaSet>[],
  replicas: number,
): DeploymentAction {
  const revision = Math.max(0, ...old.map(revisionOf)) + 1;
  const { most } = limitsOf(deployment);
  return { type: "create", replicaSet: draftReplicaSet(deployment, { replicas, revision, most }) };
}

/** The newest template has the highest number, and its replica set the deployment's annotations. */
function align(deployment: DeepReadonly<Deployment>, { current, old }: Parts): readonly DeploymentAction[] {
  if (current === undefined) return [];
  const annotations = alignedAnnotations(deployment, current, Math.max(0, ...old.map(revisionOf)) + 1);
  const minReadySeconds = deployment.spec.minReadySeconds ?? 0;
  const same =
    deepEqual(annotations, current.metadata.annotations ?? {}) &&
    minReadySeconds === (current.spec.minReadySeconds ?? 0);
  return same ? [] : [{ type: "align", replicaSet: current, annotations, minReadySeconds }];
}

/** Only what changes: a size, or what the replica set says about its deployment's. */
function scale(
  deployment: DeepReadonly<Deployment>,
  sizes: readonly Resizing[],
): readonly DeploymentAction[] {
  const { wanted, most } = limitsOf(deployment);
  return sizes
    .filter(
      ({ replicaSet, replicas }) =>
        sizeOf(replicaSet) !== replicas || desiredOf(replicaSet) !== wanted || mostOf(replicaSet) !== most,
    )
    .map((resizing) => ({ type: "scale", ...resizing }));
}

/** While an update is under way, the way back stays open. */
function isDone({ spec }: DeepReadonly<Deployment>, { current, old }: Parts): boolean {
  const wanted = spec.replicas ?? 1;
  return (
    current !== undefined &&
    (current.status?.replicas ?? 0) === wanted &&
    availableOf(current) === wanted &&
    old.every(({ status }) => (status?.replicas ?? 0) === 0)
  );
}

function forget(
  deployment: DeepReadonly<Deployment>,
  old: readonly DeepReadonly<ReplicaSet>[],
): readonly DeploymentAction[] {
  return beyondHistory(deployment, old).map((replicaSet) => ({ type: "delete", replicaSet }));
}
