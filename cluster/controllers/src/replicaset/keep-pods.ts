import { controllerOf, type DeepReadonly } from "@kedge/machinery";
import type { ReplicaSet, ReplicaSetStatus } from "@kedge/machinery/kinds/apps/v1";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import type { ReconcileContext, ReconcileResult } from "@kedge/runtime";
import { isAsPlanned, type PlannedFor } from "../is-as-planned.ts";
import type { Adoption } from "../ownership/adopt-and-release.ts";
import { adoptAndRelease } from "../ownership/adopt-and-release.ts";
import { ownedPods } from "../pods/owned-pods.ts";
import { createPod, deletePod } from "../pods/pod-control.ts";
import { podFromTemplate } from "../pods/pod-from-template.ts";
import { isActive } from "../pods/pod-state.ts";
import { slowStart } from "../slow-start.ts";
import { planReplicaSet } from "./plan.ts";
import { reportReplicaSet } from "./status.ts";

/** Whose pods are kept: a replica set, or what is much like one. */
export interface PodKeeper {
  readonly owner: DeepReadonly<ReplicaSet>;
  /** As the server has it now. */
  readonly read: Adoption<DeepReadonly<Pod>>["read"];
  /** As the cache has it now. */
  readonly newest: () => PlannedFor | undefined;
  /** The pods that do the same work, those of others too. */
  readonly related: () => readonly DeepReadonly<Pod>[];
  readonly writeStatus: (status: ReplicaSetStatus) => Promise<void>;
}

type Context = Pick<ReconcileContext<unknown>, "client" | "clock" | "events" | "read" | "signal">;

/** Keeps as many pods as the spec says, and tells of them, also when something failed. */
export async function keepPods(context: Context, keeper: PodKeeper): Promise<ReconcileResult | undefined> {
  const { client, clock, signal } = context;
  const { owner } = keeper;
  const { namespace, uid } = owner.metadata;
  await adoptAndRelease({
    owner,
    selector: owner.spec.selector,
    children: context
      .read(Pod)
      .list({ namespace })
      .filter((pod) => isActive(pod) || controllerOf(pod)?.uid === uid),
    read: keeper.read,
    patch: (key, patch) => client.of(Pod).patch(key, patch),
  });
  const view = {
    replicaSet: owner,
    pods: ownedPods(context, owner),
    related: keeper.related(),
    now: clock.now(),
  };
  const plan = planReplicaSet(view);
  const mayGoOn = (): boolean => isAsPlanned(owner, { newest: keeper.newest(), signal });
  const makeOne = (): Promise<boolean> => {
    const name = { generateName: `${owner.metadata.name}-` };
    return createPod(context, owner, podFromTemplate(owner.spec.template ?? {}, owner, name));
  };
  let failure: Error | undefined;
  try {
    const isMade = await slowStart(Array.from({ length: plan.create }), mayGoOn, makeOne);
    // A namespace that is being deleted takes no new pods: that is no failure, and the plan still stands.
    const isDone = isMade
      ? await slowStart(plan.delete, mayGoOn, (pod) => deletePod(context, owner, pod))
      : mayGoOn();
    if (!isDone) return undefined;
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error));
  }
  const report = reportReplicaSet(owner, ownedPods(context, owner), { failure, now: clock.now() });
  await keeper.writeStatus(report.status);
  if (failure !== undefined) throw failure;
  return report.lookAgainAfter === undefined ? undefined : { requeueAfter: report.lookAgainAfter };
}
