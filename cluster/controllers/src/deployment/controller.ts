import { apiVersionOf, isAlreadyExists, type DeepReadonly } from "@kedge/machinery";
import { Deployment, ReplicaSet } from "@kedge/machinery/kinds/apps/v1";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import {
  byController,
  defineController,
  watches,
  type Controller,
  type ReconcileContext,
  type ReconcileResult,
} from "@kedge/runtime";
import { writeStatusAsUpdate } from "../write-status.ts";
import { limitsOf, planDeployment, type DeploymentAction, type DeploymentView } from "./plan.ts";
import { newReplicaSetOf, revisionAnnotation, revisionOf, sizeAnnotations } from "./replica-sets.ts";
import { reportDeployment } from "./status.ts";

/** Leads a deployment's pods from one template to the next, by replica sets. */
export function deploymentController(): Controller {
  return defineController({
    name: "deployment-controller",
    for: Deployment,
    owns: [ReplicaSet],
    // Only read: whether old pods are left. Their end changes their replica set's status.
    watches: [watches(Pod, () => [])],
    reconcile,
  });
}

type Context = ReconcileContext<Deployment>;

async function reconcile(context: Context): Promise<ReconcileResult | undefined> {
  const { object: deployment, client, clock } = context;
  if (deployment === undefined) return undefined;
  let failure: Error | undefined;
  try {
    for (const action of planDeployment(observe(context, deployment))) await act(context, deployment, action);
    await numberDeployment(context, deployment);
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error));
  }
  const latest = context.read(Deployment).get(deployment.metadata) ?? deployment;
  const report = reportDeployment(observe(context, latest), clock.now());
  await writeStatusAsUpdate(client.of(Deployment).status, latest, report.status);
  if (failure !== undefined) throw failure;
  return report.lookAgainAfter === undefined ? undefined : { requeueAfter: report.lookAgainAfter };
}

function observe(context: Context, deployment: DeepReadonly<Deployment>): DeploymentView {
  const replicaSets = context.read(ReplicaSet).byIndex(byController, deployment.metadata.uid);
  const pods = replicaSets.flatMap(({ metadata }) => context.read(Pod).byIndex(byController, metadata.uid));
  return { deployment, replicaSets, pods };
}

async function act(
  context: Context,
  deployment: DeepReadonly<Deployment>,
  action: DeploymentAction,
): Promise<void> {
  const { client } = context;
  switch (action.type) {
    case "create":
      await create(context, deployment, action);
      return;
    case "scale":
      await scale(context, deployment, action);
      return;
    case "renumber":
      await client.of(ReplicaSet).patch(action.replicaSet.metadata, {
        merge: { metadata: { annotations: { [revisionAnnotation]: String(action.revision) } } },
      });
      return;
    case "delete":
      await client.of(ReplicaSet).delete(action.replicaSet.metadata, {
        preconditions: { uid: action.replicaSet.metadata.uid },
        propagation: "Background",
      });
  }
}

async function create(
  { client, events }: Context,
  deployment: DeepReadonly<Deployment>,
  { replicaSet }: DeploymentAction & { type: "create" },
): Promise<void> {
  const subject = { ...deployment, apiVersion: apiVersionOf(Deployment), kind: Deployment.kind };
  try {
    const made = await client.of(ReplicaSet).create(replicaSet);
    events.record(subject, {
      reason: "ScalingReplicaSet",
      message: `Scaled up replica set ${made.metadata.name} from 0 to ${replicaSet.spec.replicas ?? 0}`,
    });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    // Another template with the same hash, or another's replica set: the next attempt has another name.
    const collisionCount = (deployment.status?.collisionCount ?? 0) + 1;
    await client.of(Deployment).status.patch(deployment.metadata, { merge: { status: { collisionCount } } });
    throw error;
  }
}

async function scale(
  { client, events }: Context,
  deployment: DeepReadonly<Deployment>,
  { replicaSet, replicas }: DeploymentAction & { type: "scale" },
): Promise<void> {
  const { name, resourceVersion } = replicaSet.metadata;
  const before = replicaSet.spec.replicas ?? 1;
  const annotations = sizeAnnotations(deployment, limitsOf(deployment).most);
  // With its version: to grow or shrink on stale counts would break the limits.
  await client.of(ReplicaSet).patch(replicaSet.metadata, {
    merge: { metadata: { resourceVersion, annotations }, spec: { replicas } },
  });
  const subject = { ...deployment, apiVersion: apiVersionOf(Deployment), kind: Deployment.kind };
  events.record(subject, {
    reason: "ScalingReplicaSet",
    message: `Scaled ${replicas > before ? "up" : "down"} replica set ${name} from ${before} to ${replicas}`,
  });
}

/** The deployment carries the number of its newest template: `kubectl rollout` shows it. */
async function numberDeployment(context: Context, deployment: DeepReadonly<Deployment>): Promise<void> {
  const current = newReplicaSetOf(deployment, observe(context, deployment).replicaSets);
  if (current === undefined) return;
  const revision = String(revisionOf(current));
  if (deployment.metadata.annotations?.[revisionAnnotation] === revision) return;
  await context.client
    .of(Deployment)
    .patch(deployment.metadata, { merge: { metadata: { annotations: { [revisionAnnotation]: revision } } } });
}
