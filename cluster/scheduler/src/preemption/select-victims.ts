import { selectorFromLabelSelector, selectorMatches, type DeepReadonly } from "@kedge/machinery";
import type { PodDisruptionBudget } from "@kedge/machinery/kinds/policy/v1";
import type { Cycle } from "../cycle.ts";
import type { PreparedFilters } from "../filters/prepared-filters.ts";
import type { NominatedPods } from "../nominated-pods.ts";
import type { NodeInfo } from "../view/node-info.ts";
import type { PodInfo } from "../view/pod-info.ts";
import type { Candidate } from "./choose-candidate.ts";
import { byImportance } from "./importance.ts";

/** What is tried on one node. */
export interface VictimSearch {
  readonly cycle: Cycle;
  readonly filters: PreparedFilters;
  readonly node: NodeInfo;
  readonly nominated: NominatedPods;
  readonly budgets: readonly DeepReadonly<PodDisruptionBudget>[];
  readonly now: number;
}

/**
 * The fewest pods that would have to leave a node. All that are less important are taken away at first; then, beginning
 * with those that a disruption budget protects, and with the most important, each comes back that leaves enough room.
 */
export function selectVictims(search: VictimSearch): Candidate | { readonly reasons: readonly string[] } {
  const { cycle, nominated, budgets, now } = search;
  const possible = [...search.node.pods.values()].filter(({ priority }) => priority < cycle.info.priority);
  if (possible.length === 0) return { reasons: ["No preemption victims found for incoming pod"] };
  const [node, filters] = [search.node.clone(), search.filters.clone()];
  const take = (pod: PodInfo): void => {
    node.remove(pod.uid);
    filters.change(pod, node, -1);
  };
  const giveBack = (pod: PodInfo): void => {
    node.add(pod);
    filters.change(pod, node, 1);
  };
  for (const pod of possible) take(pod);
  const coming = nominated.before(cycle.info, node.name);
  const obstacle = filters.checkBeside(node, coming);
  if (obstacle !== undefined) return { reasons: obstacle.reasons };
  const sorted = possible.toSorted(byImportance(now));
  const isProtected = protectedBy(budgets, sorted);
  const victims: PodInfo[] = [];
  let violations = 0;
  for (const pod of [...sorted.filter(isProtected), ...sorted.filter((each) => !isProtected(each))]) {
    giveBack(pod);
    if (filters.checkBeside(node, coming) === undefined) continue;
    take(pod);
    victims.push(pod);
    if (isProtected(pod)) violations++;
  }
  return { node: node.name, victims: victims.toSorted(byImportance(now)), violations };
}

/** Which pods would break a budget if all of them went, the first ones using up what it allows. */
function protectedBy(
  budgets: readonly DeepReadonly<PodDisruptionBudget>[],
  pods: readonly PodInfo[],
): (pod: PodInfo) => boolean {
  const found = new Set<PodInfo>();
  const allowed = budgets.map(({ status }) => status?.disruptionsAllowed ?? 0);
  const selectors = budgets.map(({ spec }) => selectorFromLabelSelector(spec?.selector));
  for (const pod of pods) {
    for (const [index, { metadata, status }] of budgets.entries()) {
      const selector = selectors[index];
      if (metadata.namespace !== pod.namespace || selector === undefined) continue;
      if (selector.requirements.length === 0 || !selectorMatches(selector, pod.labels)) continue;
      // The server knows already that it goes.
      if (status?.disruptedPods?.[pod.pod.metadata.name] !== undefined) continue;
      const left = (allowed[index] ?? 0) - 1;
      allowed[index] = left;
      if (left < 0) found.add(pod);
    }
  }
  return (pod) => found.has(pod);
}
