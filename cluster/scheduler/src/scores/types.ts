import type { Cycle } from "../cycle.ts";
import type { ScoreName } from "../profile.ts";
import type { NodeInfo } from "../view/node-info.ts";

/** One view of which nodes are better for a pod. */
export interface Score {
  readonly name: ScoreName;
  /** Looks at the pod and at all nodes that would do. Undefined: it makes no difference to this pod. */
  prepare(cycle: Cycle, nodes: readonly NodeInfo[]): PreparedScore | undefined;
}

/** A score that knows its pod. */
export interface PreparedScore {
  /** Called for each pod and node: it must be quick. */
  of(node: NodeInfo): number;
  /** Brings the scores of all nodes to whole numbers of 0 to 100, in place. Absent: they are. */
  normalize?(scores: number[], nodes: readonly NodeInfo[]): void;
}

/** The best score. */
export const best = 100;

/** Scales scores so that the highest becomes the best; or, turned round, the worst. */
export function scale(scores: number[], direction: "more is better" | "less is better"): void {
  const isReverse = direction === "less is better";
  let most = 0;
  for (const score of scores) if (score > most) most = score;
  for (const [index, score] of scores.entries()) {
    const scaled = most === 0 ? 0 : Math.floor((best * score) / most);
    scores[index] = isReverse ? best - scaled : scaled;
  }
}
