import { controllerOf, isConflict, withTypeMeta, type DeepReadonly, type ObjectKey } from "@kedge/machinery";
import { ControllerRevision, StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import { PersistentVolumeClaim, Pod } from "@kedge/machinery/kinds/core/v1";
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
import { ownedPods } from "../pods/owned-pods.ts";
import { untilNextAvailable } from "../pods/pod-state.ts";
import { slowStart } from "../slow-start.ts";
import { writeStatusAsUpdate } from "../write-status.ts";
import { forgetRevisions, rememberRevisions } from "../revisions/remember.ts";
import { act, mayGoOn } from "./act.ts";
import { isClaimOf, ordinalOf, revisionLabel } from "./identity.ts";
import { planStatefulSet, type StatefulSetView } from "./plan.ts";
import { planRevisions, type RevisionPlan } from "./revisions.ts";
import { reportStatefulSet } from "./status.ts";

/** Gives a set its pods, each with a name, a place and claims of its own. */
export function statefulSetController(): Controller {
  return defineController({
    name: "statefulset-controller",
    reporter: "statefulset-controller",
    for: StatefulSet,
    owns: [owns(Pod, {}), owns(ControllerRevision, {})],
    watches: [
      watches(PersistentVolumeClaim, setsOfClaim),
      watches(Pod, adoptersAmong(StatefulSet)),
      watches(ControllerRevision, adoptersAmong(StatefulSet)),
    ],
    reconcile,
  });
}

/** A claim that went, or came to be deleted, may be what a place waits for. */
function setsOfClaim(
  claim: DeepReadonly<PersistentVolumeClaim>,
  _previous: unknown,
  host: ControllerHost,
): readonly ObjectKey[] {
  return host.informers
    .of(StatefulSet)
    .list({ namespace: claim.metadata.namespace })
    .filter((set) => isClaimOf(set, claim.metadata.name))
    .map(({ metadata }) => metadata);
}

type Context = ReconcileContext<StatefulSet>;

async function reconcile(context: Context): Promise<ReconcileResult | undefined> {
  const { object: set, clock } = context;
  if (set === undefined) return undefined;
  await adoptAndReleaseChildren(context, set);
  const pods = ownedPods(context, set);
  const revisions = revisionsFor(context, set, pods);
  await rememberRevisions(context, revisions, () => {
    const collisionCount = (set.status?.collisionCount ?? 0) + 1;
    return context.client
      .of(StatefulSet)
      .status.patch(set.metadata, { merge: { status: { collisionCount } } });
  });
  const { namespace } = set.metadata;
  const view = {
    set,
    claim: (name: string) => context.read(PersistentVolumeClaim).get({ namespace, name }),
    current: revisions.current,
    update: revisions.update,
    now: clock.now(),
  };
  let failure: Error | undefined;
  try {
    const isDone = await slowStart(
      planStatefulSet({ ...view, pods }),
      () => mayGoOn(context, set),
      async (action) => {
        await act(context, set, action);
        return true;
      },
    );
    if (!isDone) return undefined;
  } catch (error) {
    // A conflict is somebody else's write that we have not seen: nothing to tell of.
    if (isConflict(error)) throw error;
    failure = error instanceof Error ? error : new Error(String(error));
  }
  const after: StatefulSetView = { ...view, pods: ownedPods(context, set) };
  const status = reportStatefulSet(after);
  await writeStatusAsUpdate(context.client.of(StatefulSet).status, set, status);
  if (failure !== undefined) throw failure;
  // By the new status: a revision that this very run made history counts.
  await forgetRevisions(context, revisionsFor(context, { ...set, status }, after.pods));
  return lookAgain(after);
}

function revisionsFor(
  context: Context,
  set: DeepReadonly<StatefulSet>,
  pods: readonly DeepReadonly<Pod>[],
): RevisionPlan {
  const owned = context.read(ControllerRevision).byIndex(byController, set.metadata.uid);
  return planRevisions(
    set,
    owned,
    new Set(pods.map(({ metadata }) => metadata.labels?.[revisionLabel] ?? "")),
  );
}

/** Pods and revisions that an earlier set of this name has left behind are adopted. */
async function adoptAndReleaseChildren(context: Context, set: DeepReadonly<StatefulSet>): Promise<void> {
  const { client } = context;
  const { namespace, name, uid } = set.metadata;
  const adoption = {
    owner: withTypeMeta(StatefulSet, set),
    selector: set.spec.selector,
    read: () => client.of(StatefulSet).get({ namespace, name }),
  };
  await adoptAndRelease({
    ...adoption,
    children: context
      .read(Pod)
      .list({ namespace })
      .filter((pod) => ordinalOf(name, pod.metadata.name) !== undefined || controllerOf(pod)?.uid === uid),
    patch: (key, patch) => client.of(Pod).patch(key, patch),
  });
  await adoptAndRelease({
    ...adoption,
    children: context
      .read(ControllerRevision)
      .list({ namespace })
      .filter((revision) => controllerOf(revision) === undefined),
    patch: (key, patch) => client.of(ControllerRevision).patch(key, patch),
  });
}

/** Pods become available by the passing of time alone. */
function lookAgain({ set, pods, now }: StatefulSetView): ReconcileResult | undefined {
  const wait = untilNextAvailable(pods, set.spec.minReadySeconds ?? 0, now);
  return wait === undefined ? undefined : { requeueAfter: wait };
}
