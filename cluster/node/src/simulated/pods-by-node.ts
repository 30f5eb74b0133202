import type { Pod } from "@kedge/machinery/kinds/core/v1";
import type { Informer, InformerEvent } from "@kedge/runtime";
import type { ApiPod } from "../model/types.ts";

/** The pods of one node, as an informer has them. */
export type NodePods = Pick<Informer<Pod, "Namespaced">, "get" | "onEvent" | "isSynced" | "synced">;

type Handler = (event: InformerEvent<Pod>) => void;

/** Shares one informer of the pods of all nodes: a watch for each of hundreds would cost the server a hundred times more. */
export function podsByNode(pods: Informer<Pod, "Namespaced">): (node: string) => NodePods {
  const handlers = new Map<string, Set<Handler>>();
  const tell = (event: InformerEvent<Pod>): void => {
    for (const handler of handlers.get(nodeOf(event.object)) ?? []) handler(event);
  };
  pods.onEvent((event) => {
    // Between two looks at a name, a pod of one node may have made way for one of another.
    if (event.type === "updated" && nodeOf(event.previous) !== nodeOf(event.object)) {
      tell({ type: "deleted", object: event.previous });
      tell({ type: "added", object: event.object, initial: false });
    } else tell(event);
  });
  return (node) => ({
    get: (key) => pods.get(key),
    get isSynced() {
      return pods.isSynced;
    },
    synced: (signal) => pods.synced(signal),
    onEvent(handler) {
      for (const object of pods.list())
        if (nodeOf(object) === node) handler({ type: "added", object, initial: true });
      const all = handlers.get(node) ?? new Set();
      handlers.set(node, all.add(handler));
      return () => all.delete(handler);
    },
  });
}

function nodeOf({ spec }: ApiPod): string {
  return spec?.nodeName ?? "";
}
