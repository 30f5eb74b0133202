import type { Refusal } from "./find-node.ts";

/** Why a pod has no node, in Kubernetes' own words: how many nodes for each reason, and whether others could make room. */
export function explain(refusal: Refusal, preemption: string): string {
  const { nodes, rejected, obstacles, others } = refusal;
  if (nodes === 0) return "no nodes available to schedule pods";
  // Kubernetes' words where a claim, not a node, is the reason: what would look for other claims was not prepared.
  if (rejected !== undefined) return `${none(nodes)} ${rejected.rejected}. not found`;
  const reasons: string[] = [];
  for (const obstacle of obstacles.values()) reasons.push(...obstacle.reasons);
  const rest = Array.from(
    { length: others === undefined ? 0 : nodes - obstacles.size },
    () => others?.reasons ?? [],
  );
  return [
    none(nodes),
    ` ${counted([...reasons, ...rest.flat()])}.`,
    preemption === "" ? "" : ` ${preemption}`,
  ].join("");
}

/** What Kubernetes says of a preemption that does not happen. */
export function explainPreemption(why: string): string {
  return `no new claims to deallocate, preemption: ${why}`;
}

/** Why on no node others could make room: by the reasons of those that were tried. */
export function explainVictims(nodes: number, tried: readonly (readonly string[])[]): string {
  const helpless = Array.from(
    { length: nodes - tried.length },
    () => "Preemption is not helpful for scheduling",
  );
  return `${none(nodes)} ${counted([...tried.flat(), ...helpless])}.`;
}

function none(nodes: number): string {
  return `0/${nodes} nodes are available:`;
}

function counted(texts: readonly string[]): string {
  const groups = [...Map.groupBy(texts, (text) => text)];
  return groups
    .map(([text, all]) => `${all.length} ${text}`)
    .toSorted()
    .join(", ");
}
