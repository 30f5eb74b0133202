import { quantityToNumber, type DeepReadonly } from "@kedge/machinery";
import type { Node } from "@kedge/machinery/kinds/core/v1";
import { explain } from "./explain.ts";
import { obstaclesOn } from "./obstacles.ts";
import type { Obstacle, PlacementView } from "./placement.ts";
import { parse, scoringRequestsOf, sum } from "./requests.ts";

/** A node, or why there is none. */
export type Placement = { readonly node: string } | { readonly node: undefined; readonly message: string };

/** The node with the most left after the pod, of those that it may run on. Of equal ones the first by name. */
export function chooseNode(view: PlacementView): Placement {
  const refusals: (readonly Obstacle[])[] = [];
  let best: { readonly name: string; readonly score: number } | undefined;
  for (const node of view.nodes.toSorted((one, other) =>
    one.metadata.name < other.metadata.name ? -1 : 1,
  )) {
    const obstacles = obstaclesOn(view, node);
    if (obstacles.length > 0) {
      refusals.push(obstacles);
      continue;
    }
    const score = scoreOf(view, node);
    if (best === undefined || score > best.score) best = { name: node.metadata.name, score };
  }
  return best === undefined ? { node: undefined, message: explain(refusals) } : { node: best.name };
}

/** At most 1: how much of cpu and memory would be left, all pods counted as if they asked for something. */
function scoreOf({ pod, podsOn }: PlacementView, node: DeepReadonly<Node>): number {
  const all = parse(node.status?.allocatable ?? node.status?.capacity ?? {});
  const used = sum([pod, ...podsOn(node.metadata.name)].map(scoringRequestsOf));
  const shares = ["cpu", "memory"].map((name) => {
    const [total = 0, taken = 0] = [all, used].map((amounts) => {
      const amount = amounts.get(name);
      return amount === undefined ? 0 : quantityToNumber(amount);
    });
    return total === 0 ? 0 : (total - taken) / total;
  });
  return shares.reduce((total, share) => total + share, 0) / shares.length;
}
