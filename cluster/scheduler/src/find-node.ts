import type { Random } from "@kedge/machinery";
import type { Cycle } from "./cycle.ts";
import { prepareFilters, type PreparedFilters, type Rejected } from "./filters/prepared-filters.ts";
import type { Obstacle } from "./filters/types.ts";
import type { NominatedPods } from "./nominated-pods.ts";
import { bestNode } from "./scores/best-node.ts";
import type { NodeInfo } from "./view/node-info.ts";

/** A node for a pod, or why there is none. */
export type Finding = { readonly node: NodeInfo } | Refusal;

/** Why no node would do. */
export interface Refusal {
  readonly node: undefined;
  /** How many nodes there are. */
  readonly nodes: number;
  /** No node was looked at. */
  readonly rejected?: Rejected;
  /** By the names of the nodes that were looked at. */
  readonly obstacles: ReadonlyMap<string, Obstacle>;
  /** For the nodes that were not. */
  readonly others?: Obstacle;
  /** To try what would be if pods left. */
  readonly filters?: PreparedFilters;
}

/** What a search needs beside the pod. */
export interface Search {
  readonly nominated: NominatedPods;
  readonly random: Random;
  /** Where the next search begins, so that all nodes have their turn when not all are looked at. */
  next: number;
}

/** Below this number all nodes are looked at, and so many that would do are looked for at least. */
const fewNodes = 100;
const leastPercentage = 5;

/** The best of the nodes that a pod can be on. Of equal ones any. */
export function findNode(cycle: Cycle, search: Search): Finding {
  const { nodes } = cycle.view;
  const { nominated } = search;
  const none = { node: undefined, nodes: nodes.length, obstacles: new Map<string, Obstacle>() } as const;
  if (nodes.length === 0) return none;
  const filters = prepareFilters(cycle);
  if ("rejected" in filters) return { ...none, rejected: filters };
  const promised = promisedNode(cycle, filters, search.nominated);
  if (promised !== undefined) return { node: promised };
  const { onlyNodes } = filters;
  const meant = onlyNodes === undefined ? nodes : nodes.filter(({ name }) => onlyNodes.has(name));
  const enough = enoughNodes(meant.length, cycle.profile.percentageOfNodesToScore);
  const feasible: NodeInfo[] = [];
  const { obstacles } = none;
  let looked = 0;
  for (; looked < meant.length && feasible.length < enough; looked++) {
    const node = meant[(search.next + looked) % meant.length];
    if (node === undefined) continue;
    const obstacle = filters.checkBeside(node, nominated.before(cycle.info, node.name));
    if (obstacle === undefined) feasible.push(node);
    else obstacles.set(node.name, obstacle);
  }
  search.next = (search.next + looked) % nodes.length;
  const node = bestNode(cycle, feasible, search.random);
  if (node !== undefined) return { node };
  return { ...none, filters, ...(meant.length < nodes.length && { others: unnamed }) };
}

/** The node that a pod was promised is likely the only one: it is tried first. */
function promisedNode(
  cycle: Cycle,
  filters: PreparedFilters,
  nominated: NominatedPods,
): NodeInfo | undefined {
  const name = nominated.nodeOf(cycle.info.uid) ?? cycle.pod.status?.nominatedNodeName ?? "";
  const node = name === "" ? undefined : cycle.view.node(name);
  if (node === undefined || filters.onlyNodes?.has(name) === false) return undefined;
  return filters.checkBeside(node, nominated.before(cycle.info, name)) === undefined ? node : undefined;
}

const unnamed: Obstacle = {
  plugin: "NodeAffinity",
  reasons: ["node(s) didn't satisfy plugin(s) [NodeAffinity]"],
  isLasting: true,
};

/** Of how many nodes that would do the best is taken: of all of a few, of a smaller share the more there are. */
export function enoughNodes(nodes: number, percentage = 0): number {
  if (nodes < fewNodes) return nodes;
  const share = percentage === 0 ? Math.max(50 - Math.floor(nodes / 125), leastPercentage) : percentage;
  return Math.max(Math.floor((nodes * Math.min(share, 100)) / 100), fewNodes);
}
