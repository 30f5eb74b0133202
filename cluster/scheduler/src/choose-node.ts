import { quantityToNumber, type DeepReadonly } from "@kedge/machinery";
import type { Node } from "@kedge/machinery/kinds/core/v1";
import { explain } from "./explain.ts";
import { obstaclesOn } from "./obstacles.ts";
import type { Obstacle, PlacementView } from "./placement.ts";
import { allocatableOf, scoringRequestsOf, type Amounts } from "./requests.ts";

/** A node, or why there is none. */
export type Placement = { readonly node: string } | { readonly node: undefined; readonly message: string };

/** The node with the most left after the pod, of those that it may run on. Of equal ones the first by name. */
export function chooseNode(view: PlacementView): Placement {
  const refusals: (readonly Obstacle[])[] = [];
  const wanted = scoringRequestsOf(view.pod);
  let best: { readonly name: string; readonly score: number } | undefined;
  for (const node of view.nodes) {
    const obstacles = obstaclesOn(view, node);
    if (obstacles.length > 0) {
      refusals.push(obstacles);
      continue;
    }
    const { name } = node.metadata;
    const score = scoreOf(node, [wanted, view.placed.on(name).scored]);
    const isBetter = best === undefined || score > best.score || (score === best.score && name < best.name);
    if (isBetter) best = { name, score };
  }
  return best === undefined ? { node: undefined, message: explain(refusals) } : { node: best.name };
}

/** At most 1: how much of cpu and memory would be left, all pods counted as if they asked for something. */
function scoreOf(node: DeepReadonly<Node>, used: readonly Amounts[]): number {
  const all = allocatableOf(node);
  const shares = ["cpu", "memory"].map((name) => {
    const total = numberOf(all, name);
    const taken = used.reduce((sum, amounts) => sum + numberOf(amounts, name), 0);
    return total === 0 ? 0 : (total - taken) / total;
  });
  return shares.reduce((total, share) => total + share, 0) / shares.length;
}

function numberOf(amounts: Amounts, name: string): number {
  const amount = amounts.get(name);
  return amount === undefined ? 0 : quantityToNumber(amount);
}
