import { tolerates, type DeepReadonly } from "@kedge/machinery";
import type { Node, Pod, Taint } from "@kedge/machinery/kinds/core/v1";

/** The taints of a node that pods which run there must tolerate too. */
export function evictingTaints(node: DeepReadonly<Node> | undefined): readonly DeepReadonly<Taint>[] {
  return (node?.spec?.taints ?? []).filter(({ effect }) => effect === "NoExecute");
}

/**
 * For how many milliseconds a pod may stay on a node with these taints, from when it met them: 0 if it does not tolerate
 * one of them, else the least `tolerationSeconds` of the tolerations that it needs. Undefined: for ever.
 */
export function toleratedMs(
  pod: DeepReadonly<Pod>,
  taints: readonly DeepReadonly<Taint>[],
): number | undefined {
  const tolerations = pod.spec?.tolerations ?? [];
  const needed = taints.map((taint) => tolerations.filter((toleration) => tolerates(toleration, taint)));
  if (needed.some((some) => some.length === 0)) return 0;
  const least = needed
    .flat()
    .reduce((seconds, one) => Math.min(seconds, one.tolerationSeconds ?? Infinity), Infinity);
  return least === Infinity ? undefined : Math.max(0, least) * 1000;
}
