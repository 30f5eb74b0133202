import { apiVersionOf, type DeepReadonly } from "@kedge/machinery";
import { ReplicaSet } from "@kedge/machinery/kinds/apps/v1";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import {
  defineController,
  type Controller,
  type ReconcileContext,
  type ReconcileResult,
} from "@kedge/runtime";
import { writeStatusAsUpdate } from "../write-status.ts";
import { ownedPods } from "../pods/owned-pods.ts";
import { podFromTemplate } from "../pods/pod-from-template.ts";
import { planReplicaSet } from "./plan.ts";
import { reportReplicaSet } from "./status.ts";

/** Keeps as many pods of a replica set as its spec says. */
export function replicaSetController(): Controller {
  return defineController({ name: "replicaset-controller", for: ReplicaSet, owns: [Pod], reconcile });
}

async function reconcile(context: ReconcileContext<ReplicaSet>): Promise<ReconcileResult | undefined> {
  const { object: replicaSet, client, events, clock } = context;
  if (replicaSet === undefined) return undefined;
  const owner = { ...replicaSet, apiVersion: apiVersionOf(ReplicaSet), kind: ReplicaSet.kind };
  const plan = planReplicaSet(replicaSet, ownedPods(context, replicaSet));
  let failure: Error | undefined;
  try {
    for (let made = 0; made < plan.create; made++) await createPod(context, owner);
    for (const pod of plan.delete) {
      await client
        .of(Pod)
        .delete(pod.metadata, { preconditions: { uid: pod.metadata.uid }, propagation: "Background" });
      events.record(owner, { reason: "SuccessfulDelete", message: `Deleted pod: ${pod.metadata.name}` });
    }
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error));
  }
  // The status is told also when something failed: it is how users see what is missing.
  const report = reportReplicaSet(replicaSet, ownedPods(context, replicaSet), clock.now());
  await writeStatusAsUpdate(client.of(ReplicaSet).status, replicaSet, report.status);
  if (failure !== undefined) throw failure;
  return report.lookAgainAfter === undefined ? undefined : { requeueAfter: report.lookAgainAfter };
}

async function createPod(
  context: ReconcileContext<ReplicaSet>,
  owner: DeepReadonly<ReplicaSet>,
): Promise<void> {
  const draft = podFromTemplate(owner.spec.template ?? {}, owner, {
    generateName: `${owner.metadata.name}-`,
  });
  try {
    const pod = await context.client.of(Pod).create(draft);
    context.events.record(owner, {
      reason: "SuccessfulCreate",
      message: `Created pod: ${pod.metadata.name}`,
    });
  } catch (error) {
    const message = `Error creating: ${error instanceof Error ? error.message : String(error)}`;
    context.events.record(owner, { type: "Warning", reason: "FailedCreate", message });
    throw error;
  }
}
