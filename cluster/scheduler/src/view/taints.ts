import { tolerates, type DeepReadonly } from "@kedge/machinery";
import type { Toleration } from "@kedge/machinery/kinds/core/v1";
import type { NodeInfo } from "./node-info.ts";

/** Whether a node keeps new pods with these tolerations away. */
export function isRefusedBy(
  { taints }: Pick<NodeInfo, "taints">,
  tolerations: readonly DeepReadonly<Toleration>[],
): boolean {
  for (const taint of taints) {
    if (taint.effect !== "NoSchedule" && taint.effect !== "NoExecute") continue;
    if (!tolerations.some((toleration) => tolerates(toleration, taint))) return true;
  }
  return false;
}
