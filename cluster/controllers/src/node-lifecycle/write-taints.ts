import type { Client } from "@kedge/client";
import { isConflict, type DeepReadonly } from "@kedge/machinery";
import { Node, type Taint } from "@kedge/machinery/kinds/core/v1";

const maxTries = 5;

/**
 * Writes other taints, in the version of the node that they were found for; again when another writer was faster.
 * `change` gives the very same list when nothing is to be written.
 */
export async function writeTaints(
  client: Client,
  node: DeepReadonly<Node>,
  change: (node: DeepReadonly<Node>) => readonly DeepReadonly<Taint>[],
): Promise<void> {
  const key = { name: node.metadata.name };
  let current = node;
  for (let tries = 1; ; tries++) {
    const taints = change(current);
    if (taints === current.spec.taints || (taints.length === 0 && current.spec.taints === undefined)) return;
    const { uid, resourceVersion } = current.metadata;
    try {
      await client.of(Node).patch(key, {
        merge: {
          metadata: { uid, resourceVersion },
          spec: { taints: taints.length === 0 ? null : taints.map((taint) => ({ ...taint })) },
        },
      });
      return;
    } catch (error) {
      if (!isConflict(error) || tries === maxTries) throw error;
      current = await client.of(Node).get(key);
    }
  }
}
