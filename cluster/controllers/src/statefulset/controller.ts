import { apiVersionOf, isAlreadyExists, type DeepReadonly } from "@kedge/machinery";
import { ControllerRevision, StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import { PersistentVolumeClaim, Pod } from "@kedge/machinery/kinds/core/v1";
import {
  byController,
  defineController,
  watches,
  type Controller,
  type ReconcileContext,
  type ReconcileResult,
} from "@kedge/runtime";
import { ownedPods } from "../pods/owned-pods.ts";
import { untilAvailable } from "../pods/pod-state.ts";
import { writeStatusAsUpdate } from "../write-status.ts";
import { claimsAt, podAt, revisionLabel } from "./identity.ts";
import { planStatefulSet, type StatefulSetAction, type StatefulSetView } from "./plan.ts";
import { planRevisions, type RevisionPlan } from "./revisions.ts";
import { reportStatefulSet } from "./status.ts";

/** Gives a set its pods, each with a name, a place and claims of its own. */
export function statefulSetController(): Controller {
  return defineController({
    name: "statefulset-controller",
    for: StatefulSet,
    owns: [Pod, ControllerRevision],
    // Only read: whether a place's claims are there.
    watches: [watches(PersistentVolumeClaim, () => [])],
    reconcile,
  });
}

type Context = ReconcileContext<StatefulSet>;

async function reconcile(context: Context): Promise<ReconcileResult | undefined> {
  const { object: set, clock } = context;
  if (set === undefined) return undefined;
  const pods = ownedPods(context, set);
  const used = new Set(pods.map(({ metadata }) => metadata.labels?.[revisionLabel] ?? ""));
  const owned = context.read(ControllerRevision).byIndex(byController, set.metadata.uid);
  const revisions = planRevisions(set, owned, used);
  await rememberRevisions(context, revisions);
  const view = { set, current: revisions.current, update: revisions.update, now: clock.now() };
  let failure: Error | undefined;
  try {
    for (const action of planStatefulSet({ ...view, pods })) await act(context, set, action);
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error));
  }
  const after: StatefulSetView = { ...view, pods: ownedPods(context, set) };
  await writeStatusAsUpdate(context.client.of(StatefulSet).status, set, reportStatefulSet(after));
  if (failure !== undefined) throw failure;
  for (const revision of revisions.forget)
    await context.client.of(ControllerRevision).delete(revision.metadata);
  return lookAgain(after);
}

async function rememberRevisions({ client }: Context, { create, renumber }: RevisionPlan): Promise<void> {
  if (create !== undefined) await client.of(ControllerRevision).create(create);
  if (renumber === undefined) return;
  const { revision, number } = renumber;
  await client.of(ControllerRevision).patch(revision.metadata, { merge: { revision: number } });
}

async function act(
  context: Context,
  set: DeepReadonly<StatefulSet>,
  action: StatefulSetAction,
): Promise<void> {
  const { client, events } = context;
  const subject = { ...set, apiVersion: apiVersionOf(StatefulSet), kind: StatefulSet.kind };
  const said = `in StatefulSet ${set.metadata.name}`;
  if (action.type === "delete") {
    const { name, uid } = action.pod.metadata;
    await client.of(Pod).delete(action.pod.metadata, { preconditions: { uid } });
    events.record(subject, { reason: "SuccessfulDelete", message: `delete Pod ${name} ${said} successful` });
    return;
  }
  const name = `${set.metadata.name}-${action.ordinal}`;
  try {
    await createClaims(context, set, action.ordinal);
    await client.of(Pod).create(podAt(set, action.ordinal, action.revision));
  } catch (error) {
    // The pod of before is still on its way out; its end brings us back.
    if (isAlreadyExists(error)) return;
    const why = error instanceof Error ? error.message : String(error);
    events.record(subject, {
      type: "Warning",
      reason: "FailedCreate",
      message: `create Pod ${name} ${said} failed error: ${why}`,
    });
    throw error;
  }
  events.record(subject, { reason: "SuccessfulCreate", message: `create Pod ${name} ${said} successful` });
}

async function createClaims(
  context: Context,
  set: DeepReadonly<StatefulSet>,
  ordinal: number,
): Promise<void> {
  for (const claim of claimsAt(set, ordinal)) {
    const key = { namespace: set.metadata.namespace, name: claim.metadata.name };
    if (context.read(PersistentVolumeClaim).get(key) !== undefined) continue;
    try {
      await context.client.of(PersistentVolumeClaim).create(claim);
    } catch (error) {
      // A claim that outlived an earlier pod of this place: its data is what the place is about.
      if (!isAlreadyExists(error)) throw error;
    }
  }
}

/** Pods become available by the passing of time alone. */
function lookAgain({ set, pods, now }: StatefulSetView): ReconcileResult | undefined {
  const waits = pods
    .map((pod) => untilAvailable(pod, set.spec.minReadySeconds ?? 0, now) ?? 0)
    .filter((wait) => wait > 0);
  return waits.length === 0 ? undefined : { requeueAfter: Math.min(...waits) };
}
