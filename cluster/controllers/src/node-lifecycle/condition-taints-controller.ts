import { Node } from "@kedge/machinery/kinds/core/v1";
import { defineController, type Controller, type ReconcileContext } from "@kedge/runtime";
import { missingLabels } from "./labels.ts";
import { withConditionTaints } from "./taints.ts";
import { writeTaints } from "./write-taints.ts";

/** Keeps new pods away from nodes that are not ready, short of something or cordoned: by taints with NoSchedule. */
export function conditionTaintsController(): Controller {
  return defineController({ name: "node-lifecycle-controller", for: Node, when: () => true, reconcile });
}

async function reconcile({ object: node, client, clock }: ReconcileContext<Node>): Promise<undefined> {
  if (node === undefined) return undefined;
  await writeTaints(client, node, (current) => withConditionTaints(current, clock.now()));
  const labels = missingLabels(node);
  if (Object.keys(labels).length > 0) {
    const { name, uid } = node.metadata;
    await client.of(Node).patch({ name }, { merge: { metadata: { uid, labels } } });
  }
  return undefined;
}
