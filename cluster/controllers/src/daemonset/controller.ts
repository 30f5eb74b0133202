import { controllerOf, deepEqual, withTypeMeta, type DeepReadonly } from "@kedge/machinery";
import { ControllerRevision, DaemonSet } from "@kedge/machinery/kinds/apps/v1";
import { Node, Pod } from "@kedge/machinery/kinds/core/v1";
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
import { adoptersAmong } from "../ownership/adopters.ts";
import { adoptAndRelease } from "../ownership/adopt-and-release.ts";
import { ownedPods } from "../pods/owned-pods.ts";
import { createPod, deletePod } from "../pods/pod-control.ts";
import { forgetRevisions, rememberRevisions } from "../revisions/remember.ts";
import { slowStart } from "../slow-start.ts";
import { writeStatusAsUpdate } from "../write-status.ts";
import { createFailurePauses, type FailurePauses } from "./failure-pauses.ts";
import { hashLabel, podOfDaemonSet } from "./new-pod.ts";
import { planDaemonSet, type DaemonSetPlan, type DaemonSetView } from "./plan.ts";
import { planDaemonRevisions } from "./revisions.ts";
import { planUpdate } from "./rolling.ts";
import { reportDaemonSet } from "./status.ts";

/** Keeps one pod of a daemon set on each node that fits. */
export function daemonSetController(): Controller {
  const pauses = createFailurePauses();
  return defineController({
    name: "daemonset-controller",
    reporter: "daemonset-controller",
    for: DaemonSet,
    owns: [owns(Pod, {}), owns(ControllerRevision, {})],
    watches: [
      watches(Pod, adoptersAmong(DaemonSet)),
      // A revision that an earlier set of this name has left behind may be set free after its pods.
      watches(ControllerRevision, adoptersAmong(DaemonSet)),
      watches(Node, (node, previous, host) =>
        isSamePlace(node, previous)
          ? []
          : host.informers
              .of(DaemonSet)
              .list()
              .map(({ metadata }) => metadata),
      ),
    ],
    reconcile: (context) => reconcile(context, pauses),
  });
}

/** Heartbeats change nothing about which pods a node gets. */
function isSamePlace(node: DeepReadonly<Node>, previous: DeepReadonly<Node> | undefined): boolean {
  return (
    previous !== undefined &&
    deepEqual(node.metadata.labels, previous.metadata.labels) &&
    deepEqual(node.spec?.taints, previous.spec?.taints)
  );
}

type Context = ReconcileContext<DaemonSet>;
type AnySet = DeepReadonly<DaemonSet>;

/** How many pods one run makes or deletes at most. */
const burst = 250;

async function reconcile(context: Context, pauses: FailurePauses): Promise<ReconcileResult | undefined> {
  const { object: set, clock } = context;
  // The garbage collector takes pods and revisions in any order: of a set that goes nothing can be said.
  if (set === undefined || set.metadata.deletionTimestamp !== undefined) return undefined;
  await adoptAndReleaseChildren(context, set);
  const used = new Set(ownedPods(context, set).map(({ metadata }) => metadata.labels?.[hashLabel] ?? ""));
  const owned = context.read(ControllerRevision).byIndex(byController, set.metadata.uid);
  const revisions = planDaemonRevisions(set, owned, used);
  await rememberRevisions(context, revisions, () => {
    const collisionCount = (set.status?.collisionCount ?? 0) + 1;
    return context.client.of(DaemonSet).status.patch(set.metadata, { merge: { status: { collisionCount } } });
  });
  const place = (node: string): string =>
    `${set.metadata.uid}/${set.status?.observedGeneration ?? 0}/${node}`;
  const look = (): DaemonSetView => ({
    set,
    nodes: context.read(Node).list(),
    pods: ownedPods(context, set),
    hash: revisions.hash,
    pauseOn: (node) => pauses.left(place(node), clock.now()),
    now: clock.now(),
  });
  const view = look();
  const plan = planDaemonSet(view);
  for (const node of plan.replaced) pauses.replaced(place(node), view.now);
  for (const note of plan.events) context.events.record(withTypeMeta(DaemonSet, set), note);
  let failure: Error | undefined;
  try {
    const isSettled = plan.create.length + plan.delete.length === 0;
    if (!(await act(context, set, revisions.hash, isSettled ? planUpdate(view) : plan))) return undefined;
    await forgetRevisions(context, revisions);
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error));
  }
  const report = reportDaemonSet(look());
  await writeStatusAsUpdate(context.client.of(DaemonSet).status, set, report.status);
  if (failure !== undefined) throw failure;
  const waits = [plan.lookAgainAfter, report.lookAgainAfter].flatMap((wait) => wait ?? []);
  return waits.length === 0 ? undefined : { requeueAfter: Math.min(...waits) };
}

/** False when the set has become another meanwhile, and the plan is void. */
async function act(
  context: Context,
  set: AnySet,
  hash: string,
  { create, delete: gone }: Pick<DaemonSetPlan, "create" | "delete">,
): Promise<boolean> {
  const owner = withTypeMeta(DaemonSet, set);
  const mayGoOn = (): boolean =>
    isAsPlanned(set, { newest: context.read(DaemonSet).get(set.metadata), signal: context.signal });
  const isDone = await slowStart(create.slice(0, burst), mayGoOn, (node) =>
    createPod(context, owner, podOfDaemonSet(set, node, hash)),
  );
  // A namespace that is being deleted takes no new pods: that is no failure, and the plan still stands.
  if (!isDone) return mayGoOn();
  return slowStart(gone.slice(0, burst), mayGoOn, (pod) => deletePod(context, owner, pod));
}

async function adoptAndReleaseChildren(context: Context, set: AnySet): Promise<void> {
  const { client } = context;
  const { namespace, name, uid } = set.metadata;
  const adoption = {
    owner: withTypeMeta(DaemonSet, set),
    selector: set.spec.selector,
    read: () => client.of(DaemonSet).get({ namespace, name }),
  };
  const isMine = (child: DeepReadonly<Pod | ControllerRevision>): boolean =>
    [undefined, uid].includes(controllerOf(child)?.uid);
  await adoptAndRelease({
    ...adoption,
    children: context.read(Pod).list({ namespace }).filter(isMine),
    patch: (key, patch) => client.of(Pod).patch(key, patch),
  });
  await adoptAndRelease({
    ...adoption,
    children: context.read(ControllerRevision).list({ namespace }).filter(isMine),
    patch: (key, patch) => client.of(ControllerRevision).patch(key, patch),
  });
}
