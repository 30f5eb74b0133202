import { controllerOf, withTypeMeta, type DeepReadonly } from "@kedge/machinery";
import { ReplicaSet } from "@kedge/machinery/kinds/apps/v1";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import {
  byController,
  defineController,
  owns,
  watches,
  type Controller,
  type ReconcileContext,
  type ReconcileResult,
} from "@kedge/runtime";
import { isAsPlanned } from "../is-as-planned.ts";
import { adopters } from "../ownership/adopters.ts";
import { adoptAndRelease } from "../ownership/adopt-and-release.ts";
import { ownedPods } from "../pods/owned-pods.ts";
import { createPod, deletePod } from "../pods/pod-control.ts";
import { podFromTemplate } from "../pods/pod-from-template.ts";
import { isActive } from "../pods/pod-state.ts";
import { slowStart } from "../slow-start.ts";
import { writeStatusAsUpdate } from "../write-status.ts";
import { planReplicaSet, type ReplicaSetPlan } from "./plan.ts";
import { reportReplicaSet } from "./status.ts";

/** Keeps as many pods of a replica set as its spec says. */
export function replicaSetController(): Controller {
  return defineController({
    name: "replicaset-controller",
    reporter: "replicaset-controller",
    for: ReplicaSet,
    owns: [owns(Pod, {})],
    watches: [
      watches(Pod, (pod, _previous, host) =>
        adopters(pod, host.informers.of(ReplicaSet).list({ namespace: pod.metadata.namespace })),
      ),
    ],
    reconcile,
  });
}

type Context = ReconcileContext<ReplicaSet>;
type Owner = DeepReadonly<ReplicaSet> & { readonly apiVersion: string; readonly kind: string };

async function reconcile(context: Context): Promise<ReconcileResult | undefined> {
  const { object: replicaSet, client, clock } = context;
  if (replicaSet === undefined) return undefined;
  const owner = withTypeMeta(ReplicaSet, replicaSet);
  await adoptAndReleasePods(context, owner);
  const pods = ownedPods(context, replicaSet);
  const plan = planReplicaSet({ replicaSet, pods, related: relatedPods(context, owner), now: clock.now() });
  let failure: Error | undefined;
  try {
    if (!(await act(context, owner, plan))) return undefined;
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error));
  }
  // The status is told also when something failed: it is how users see what is missing.
  const report = reportReplicaSet(replicaSet, ownedPods(context, replicaSet), { failure, now: clock.now() });
  await writeStatusAsUpdate(client.of(ReplicaSet).status, replicaSet, report.status);
  if (failure !== undefined) throw failure;
  return report.lookAgainAfter === undefined ? undefined : { requeueAfter: report.lookAgainAfter };
}

async function adoptAndReleasePods(context: Context, owner: Owner): Promise<void> {
  const { client } = context;
  const { namespace, name, uid } = owner.metadata;
  await adoptAndRelease({
    owner,
    selector: owner.spec.selector,
    children: context
      .read(Pod)
      .list({ namespace })
      .filter((pod) => isActive(pod) || controllerOf(pod)?.uid === uid),
    read: () => client.of(ReplicaSet).get({ namespace, name }),
    patch: (key, patch) => client.of(Pod).patch(key, patch),
  });
}

/** The pods of all replica sets that the same owner controls. */
function relatedPods(context: Context, replicaSet: DeepReadonly<ReplicaSet>): readonly DeepReadonly<Pod>[] {
  const parent = controllerOf(replicaSet);
  const siblings =
    parent === undefined ? [replicaSet] : context.read(ReplicaSet).byIndex(byController, parent.uid);
  return siblings.flatMap((sibling) => ownedPods(context, sibling));
}

/** False when the replica set has become another meanwhile, and the plan is void. */
async function act(context: Context, owner: Owner, plan: ReplicaSetPlan): Promise<boolean> {
  const { signal } = context;
  const mayGoOn = (): boolean =>
    isAsPlanned(owner, { newest: context.read(ReplicaSet).get(owner.metadata), signal });
  const missing = Array.from({ length: plan.create });
  // A namespace that is being deleted takes no new pods: that is no failure, and the plan still stands.
  const makeOne = (): Promise<boolean> => {
    const name = { generateName: `${owner.metadata.name}-` };
    return createPod(context, owner, podFromTemplate(owner.spec.template ?? {}, owner, name));
  };
  if (!(await slowStart(missing, mayGoOn, makeOne))) return mayGoOn();
  return slowStart(plan.delete, mayGoOn, (pod) => deletePod(context, owner, pod));
}
