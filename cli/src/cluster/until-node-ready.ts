import type { Client } from "@kedge/client";
import { isConditionTrue } from "@kedge/machinery";
import { Node } from "@kedge/machinery/kinds/core/v1";

/** Resolves when the API server has the node as ready. */
export async function untilNodeReady(client: Client, name: string, signal?: AbortSignal): Promise<void> {
  const selector = { fieldSelector: `metadata.name=${name}`, ...(signal && { signal }) };
  for await (const event of client.of(Node).watch(selector)) {
    if (event.type !== "BOOKMARK" && isConditionTrue(event.object.status?.conditions, "Ready")) return;
  }
  signal?.throwIfAborted();
}
