import {
  findCause,
  isAlreadyExists,
  isControlledBy,
  isNotFound,
  withTypeMeta,
  type DeepReadonly,
} from "@kedge/machinery";
import { Deployment, ReplicaSet } from "@kedge/machinery/kinds/apps/v1";
import type { EventNote, ReconcileContext } from "@kedge/runtime";
import { limitsOf } from "./limits.ts";
import type { DeploymentAction } from "./plan.ts";
import type { Creation } from "./progress.ts";
import { newReplicaSetOf, sizeAnnotations, sizeOf } from "./replica-sets.ts";

type Context = ReconcileContext<Deployment>;

/** Does one thing of a deployment's plan; tells of a replica set that was made or refused. */
export async function act(
  context: Context,
  deployment: DeepReadonly<Deployment>,
  action: DeploymentAction,
): Promise<Creation | undefined> {
  const replicaSets = context.client.of(ReplicaSet);
  switch (action.type) {
    case "create":
      return create(context, deployment, action);
    case "scale":
      await scale(context, deployment, action);
      return undefined;
    case "align": {
      const { annotations, minReadySeconds, replicaSet } = action;
      await replicaSets.patch(replicaSet.metadata, {
        merge: { metadata: { uid: replicaSet.metadata.uid, annotations }, spec: { minReadySeconds } },
      });
      return undefined;
    }
    case "delete":
      await remove(context, action);
      return undefined;
  }
}

async function create(
  context: Context,
  deployment: DeepReadonly<Deployment>,
  { replicaSet }: DeploymentAction & { type: "create" },
): Promise<Creation | undefined> {
  const { name } = replicaSet.metadata;
  try {
    await context.client.of(ReplicaSet).create(replicaSet);
  } catch (error) {
    // Where nothing may be made any more, nothing is missing.
    if (findCause(error, "NamespaceTerminating") !== undefined) return undefined;
    if (isAlreadyExists(error)) {
      if (await isOurs(context, deployment, name)) return undefined;
      await countCollision(context, deployment);
      throw error;
    }
    const failure = error instanceof Error ? error : new Error(String(error));
    const message = `Failed to create new replica set "${name}": ${failure.message}`;
    tell(context, deployment, { type: "Warning", reason: "ReplicaSetCreateError", message });
    return { name, failure };
  }
  const replicas = replicaSet.spec.replicas ?? 0;
  if (replicas > 0) {
    const message = `Scaled up replica set ${name} from 0 to ${replicas}`;
    tell(context, deployment, { reason: "ScalingReplicaSet", message });
  }
  return { name };
}

/** Whether the replica set is the very one that was to be made, and only our cache did not show it. */
async function isOurs(
  context: Context,
  deployment: DeepReadonly<Deployment>,
  name: string,
): Promise<boolean> {
  const { namespace } = deployment.metadata;
  const found = await context.client.of(ReplicaSet).get({ namespace, name });
  return isControlledBy(found, deployment) && newReplicaSetOf(deployment, [found]) !== undefined;
}

/** Another template with the same hash, or another's replica set: the next attempt has another name. */
async function countCollision(context: Context, deployment: DeepReadonly<Deployment>): Promise<void> {
  const collisionCount = (deployment.status?.collisionCount ?? 0) + 1;
  await context.client
    .of(Deployment)
    .status.patch(deployment.metadata, { merge: { status: { collisionCount } } });
}

async function scale(
  context: Context,
  deployment: DeepReadonly<Deployment>,
  { replicaSet, replicas }: DeploymentAction & { type: "scale" },
): Promise<void> {
  const { name, resourceVersion } = replicaSet.metadata;
  const before = sizeOf(replicaSet);
  const annotations = sizeAnnotations(deployment, limitsOf(deployment).most);
  // With its version: to grow or shrink on stale counts would break the limits.
  await context.client.of(ReplicaSet).patch(replicaSet.metadata, {
    merge: { metadata: { resourceVersion, annotations }, spec: { replicas } },
  });
  if (before === replicas) return;
  const way = replicas > before ? "up" : "down";
  const message = `Scaled ${way} replica set ${name} from ${before} to ${replicas}`;
  tell(context, deployment, { reason: "ScalingReplicaSet", message });
}

async function remove(
  { client }: Context,
  { replicaSet }: DeploymentAction & { type: "delete" },
): Promise<void> {
  const { uid } = replicaSet.metadata;
  try {
    await client
      .of(ReplicaSet)
      .delete(replicaSet.metadata, { preconditions: { uid }, propagation: "Background" });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

function tell({ events }: Context, deployment: DeepReadonly<Deployment>, note: EventNote): void {
  events.record(withTypeMeta(Deployment, deployment), note);
}
