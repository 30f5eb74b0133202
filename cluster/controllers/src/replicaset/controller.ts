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
import { adoptersAmong } from "../ownership/adopters.ts";
import { ownedPods } from "../pods/owned-pods.ts";
import { writeStatusAsUpdate } from "../write-status.ts";
import { keepPods } from "./keep-pods.ts";

/** Keeps as many pods of a replica set as its spec says. */
export function replicaSetController(): Controller {
  return defineController({
    name: "replicaset-controller",
    reporter: "replicaset-controller",
    for: ReplicaSet,
    owns: [owns(Pod, {})],
    watches: [watches(Pod, adoptersAmong(ReplicaSet))],
    reconcile,
  });
}

type Context = ReconcileContext<ReplicaSet>;

async function reconcile(context: Context): Promise<ReconcileResult | undefined> {
  const { object: replicaSet, client } = context;
  if (replicaSet === undefined) return undefined;
  return keepPods(context, {
    owner: withTypeMeta(ReplicaSet, replicaSet),
    read: () => client.of(ReplicaSet).get(replicaSet.metadata),
    newest: () => context.read(ReplicaSet).get(replicaSet.metadata),
    related: () => relatedPods(context, replicaSet),
    writeStatus: (status) => writeStatusAsUpdate(client.of(ReplicaSet).status, replicaSet, status),
  });
}

/** The pods of all replica sets that the same owner controls. */
function relatedPods(context: Context, replicaSet: DeepReadonly<ReplicaSet>): readonly DeepReadonly<Pod>[] {
  const parent = controllerOf(replicaSet);
  const siblings =
    parent === undefined ? [replicaSet] : context.read(ReplicaSet).byIndex(byController, parent.uid);
  return siblings.flatMap((sibling) => ownedPods(context, sibling));
}
