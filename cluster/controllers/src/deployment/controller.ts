import { controllerOf, withTypeMeta, type DeepReadonly, type ObjectKey } from "@kedge/machinery";
import { Deployment, ReplicaSet } from "@kedge/machinery/kinds/apps/v1";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import {
  byController,
  defineController,
  owns,
  watches,
  type Controller,
  type ControllerHost,
  type ReconcileContext,
  type ReconcileResult,
} from "@kedge/runtime";
import { adoptersAmong } from "../ownership/adopters.ts";
import { adoptAndRelease } from "../ownership/adopt-and-release.ts";
import { isActive } from "../pods/pod-state.ts";
import { writeStatusAsUpdate } from "../write-status.ts";
import { act } from "./act.ts";
import { planDeployment, type DeploymentView } from "./plan.ts";
import type { Creation } from "./progress.ts";
import { newReplicaSetOf, revisionAnnotation, revisionOf } from "./replica-sets.ts";
import { reportDeployment } from "./status.ts";

/** Leads a deployment's pods from one template to the next, by replica sets. */
export function deploymentController(): Controller {
  return defineController({
    name: "deployment-controller",
    reporter: "deployment-controller",
    for: Deployment,
    owns: [owns(ReplicaSet, {})],
    watches: [watches(Pod, deploymentOf), watches(ReplicaSet, adoptersAmong(Deployment))],
    reconcile,
  });
}

/** A pod that went may be the last of the old ones that a new one waits for. */
function deploymentOf(
  pod: DeepReadonly<Pod>,
  _previous: unknown,
  { informers }: ControllerHost,
): readonly ObjectKey[] {
  const owner = controllerOf(pod);
  if (owner?.kind !== ReplicaSet.kind || isActive(pod)) return [];
  const { namespace } = pod.metadata;
  const replicaSet = informers.of(ReplicaSet).get({ namespace, name: owner.name });
  const parent = replicaSet === undefined ? undefined : controllerOf(replicaSet);
  return parent?.kind === Deployment.kind ? [{ namespace, name: parent.name }] : [];
}

type Context = ReconcileContext<Deployment>;

async function reconcile(context: Context): Promise<ReconcileResult | undefined> {
  const { object: deployment, client, clock } = context;
  if (deployment === undefined) return undefined;
  await adoptAndReleaseReplicaSets(context, deployment);
  let failure: Error | undefined;
  let creation: Creation | undefined;
  try {
    for (const action of planDeployment(observe(context, deployment))) {
      creation = (await act(context, deployment, action)) ?? creation;
    }
    await numberDeployment(context, deployment);
    failure = creation?.failure;
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error));
  }
  const latest = context.read(Deployment).get(deployment.metadata) ?? deployment;
  const report = reportDeployment(observe(context, latest), { creation, now: clock.now() });
  await writeStatusAsUpdate(client.of(Deployment).status, latest, report.status);
  if (failure !== undefined) throw failure;
  return report.lookAgainAfter === undefined ? undefined : { requeueAfter: report.lookAgainAfter };
}

async function adoptAndReleaseReplicaSets(
  context: Context,
  deployment: DeepReadonly<Deployment>,
): Promise<void> {
  const { client } = context;
  const { namespace, name } = deployment.metadata;
  await adoptAndRelease({
    owner: withTypeMeta(Deployment, deployment),
    selector: deployment.spec.selector,
    children: context.read(ReplicaSet).list({ namespace }),
    read: () => client.of(Deployment).get({ namespace, name }),
    patch: (key, patch) => client.of(ReplicaSet).patch(key, patch),
  });
}

function observe(context: Context, deployment: DeepReadonly<Deployment>): DeploymentView {
  const replicaSets = context.read(ReplicaSet).byIndex(byController, deployment.metadata.uid);
  const pods = replicaSets.flatMap(({ metadata }) => context.read(Pod).byIndex(byController, metadata.uid));
  return { deployment, replicaSets, pods };
}

/** The deployment carries the number of its newest template: `kubectl rollout` shows it. */
async function numberDeployment(context: Context, deployment: DeepReadonly<Deployment>): Promise<void> {
  const current = newReplicaSetOf(deployment, observe(context, deployment).replicaSets);
  if (current === undefined || deployment.metadata.deletionTimestamp !== undefined) return;
  const revision = String(revisionOf(current));
  if (deployment.metadata.annotations?.[revisionAnnotation] === revision) return;
  // By the status, as the original does: so it is no new generation.
  await context.client.of(Deployment).status.patch(deployment.metadata, {
    merge: { metadata: { annotations: { [revisionAnnotation]: revision } } },
  });
}
