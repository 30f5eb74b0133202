import type { Obstacle } from "./placement.ts";

/**
 * Why no node would do, in Kubernetes' own words: how many nodes for each reason, and how many of them other pods would
 * have to leave. We never make pods leave, so there are never victims.
 */
export function explain(refusals: readonly (readonly Obstacle[])[]): string {
  if (refusals.length === 0) return "no nodes available to schedule pods";
  const reasons = refusals.flatMap((obstacles) => obstacles.map(({ reason }) => reason));
  const ways = refusals.map((obstacles) =>
    obstacles.every(({ byOthers }) => byOthers)
      ? "No preemption victims found for incoming pod"
      : "Preemption is not helpful for scheduling",
  );
  const none = `0/${refusals.length} nodes are available:`;
  return `${none} ${counted(reasons)}. no new claims to deallocate, preemption: ${none} ${counted(ways)}.`;
}

/** Why a pod was not even tried on the nodes. */
export function explainBefore(nodes: number, reason: string): string {
  return nodes === 0 ? "no nodes available to schedule pods" : `0/${nodes} nodes are available: ${reason}.`;
}

function counted(texts: readonly string[]): string {
  const groups = [...Map.groupBy(texts, (text) => text)];
  return groups
    .map(([text, all]) => `${all.length} ${text}`)
    .toSorted()
    .join(", ");
}
