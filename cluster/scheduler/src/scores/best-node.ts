import type { Random } from "@kedge/machinery";
import type { Cycle } from "../cycle.ts";
import { defaultWeights } from "../profile.ts";
import type { NodeInfo } from "../view/node-info.ts";
import { allScores } from "./all-scores.ts";

/** The node with the highest sum of weighted scores. Of equal ones any. Undefined: there are none. */
export function bestNode(cycle: Cycle, nodes: readonly NodeInfo[], random: Random): NodeInfo | undefined {
  if (nodes.length < 2) return nodes[0];
  const totals = totalScores(cycle, nodes);
  let best: NodeInfo | undefined;
  let [most, equals] = [Number.NEGATIVE_INFINITY, 0];
  for (let index = 0; index < nodes.length; index++) {
    const [node, total] = [nodes[index], totals[index] ?? 0];
    if (total < most) continue;
    equals = total > most ? 1 : equals + 1;
    // Each of the equals is as likely.
    if (total > most || random.int(equals) === 0) best = node;
    most = total;
  }
  return best;
}

/** The sum of the weighted scores of each node. */
export function totalScores(cycle: Cycle, nodes: readonly NodeInfo[]): readonly number[] {
  const totals = nodes.map(() => 0);
  const weights = { ...defaultWeights, ...cycle.profile.weights };
  for (const score of allScores) {
    const weight = weights[score.name];
    const prepared = weight === 0 ? undefined : score.prepare(cycle, nodes);
    if (prepared === undefined) continue;
    const scores = nodes.map((node) => prepared.of(node));
    prepared.normalize?.(scores, nodes);
    for (let index = 0; index < scores.length; index++) {
      totals[index] = (totals[index] ?? 0) + weight * (scores[index] ?? 0);
    }
  }
  return totals;
}
