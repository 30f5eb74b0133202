import { deepEqual, labelOf, selectorMatches, type Labels } from "@kedge/machinery";
import type { Cycle } from "../cycle.ts";
import {
  constraintsOf,
  hasTopologies,
  isCounted,
  matchingOf,
  ownConstraintsOf,
  type SpreadConstraint,
} from "../spread/constraint.ts";
import type { NodeInfo } from "../view/node-info.ts";
import type { PodInfo } from "../view/pod-info.ts";
import { obstacle, type Filter, type Obstacle, type PreparedFilter } from "./types.ts";

const plugin = "PodTopologySpread";
const reason = "node(s) didn't match pod topology spread constraints";
const unlabelled = obstacle(plugin, `${reason} (missing required label)`, "lasting");
const skewed = obstacle(plugin, reason, "by others");

/** Nodes on which the pod would make its like more unevenly spread than its constraints allow. */
export const podTopologySpread: Filter = {
  name: plugin,
  prepare(cycle) {
    const constraints = constraintsOf(cycle, "DoNotSchedule");
    if (constraints.length === 0) return undefined;
    const counts = constraints.map((constraint) => countsOf(constraint, constraints, cycle));
    return new SpreadFilter(cycle, constraints, counts);
  },
  events: ["pod-added", "pod-changed", "pod-removed", "node-added", "node-changed", "node-removed"],
  mayHelp(event, waiting) {
    const constraints = ownConstraintsOf(waiting);
    // It was refused by a default of its profile: which pods that counts depends on services and workloads.
    if (constraints.length === 0) return true;
    const isSpread = ({ labels }: { readonly labels: Labels }): boolean =>
      constraints.some(({ selector }) => selectorMatches(selector, labels));
    switch (event.type) {
      case "pod-added":
      case "pod-removed":
        return event.pod.namespace === waiting.namespace && isSpread(event.pod);
      case "pod-changed":
        return mayChange(event, waiting, constraints);
      case "node-added":
      case "node-removed":
        return hasTopologies(event.node, constraints);
      case "node-changed": {
        const [before, now] = [event.previous, event.node].map((node) => hasTopologies(node, constraints));
        if (before !== now) return true;
        const isMoved = constraints.some(
          ({ topologyKey: key }) => labelOf(event.node.labels, key) !== labelOf(event.previous.labels, key),
        );
        return now === true && (isMoved || event.changed.has("taints"));
      }
      default:
        return false;
    }
  },
};

function mayChange(
  { pod, previous }: { readonly pod: PodInfo; readonly previous: PodInfo },
  waiting: PodInfo,
  constraints: readonly SpreadConstraint[],
): boolean {
  if (pod.uid !== waiting.uid && pod.namespace !== waiting.namespace) return false;
  const isTolerating =
    pod.uid === waiting.uid &&
    constraints.some(({ honorsTaints }) => honorsTaints) &&
    !deepEqual(pod.pod.spec.tolerations, previous.pod.spec.tolerations);
  const isOther = constraints.some(
    ({ selector }) => selectorMatches(selector, pod.labels) !== selectorMatches(selector, previous.labels),
  );
  return isTolerating || isOther;
}

/** How many pods that the constraint counts are in each domain that the pod could be in. */
function countsOf(
  constraint: SpreadConstraint,
  constraints: readonly SpreadConstraint[],
  cycle: Cycle,
): Map<string, number> {
  const matching = matchingOf(constraint, cycle);
  const counts = new Map<string, number>();
  for (const node of cycle.view.nodes) {
    const domain = labelOf(node.labels, constraint.topologyKey);
    if (domain === undefined || (constraints.length > 1 && !hasTopologies(node, constraints))) continue;
    if (!isCounted(constraint, node, cycle.pod)) continue;
    counts.set(domain, (counts.get(domain) ?? 0) + (matching.get(node.name) ?? 0));
  }
  return counts;
}

class SpreadFilter implements PreparedFilter {
  readonly #cycle: Cycle;
  readonly #constraints: readonly SpreadConstraint[];
  readonly #counts: readonly Map<string, number>[];
  /** Of each constraint: how many are in the domain with the fewest. Undefined: to be looked up. */
  readonly #fewest: (number | undefined)[];
  readonly #itself: readonly number[];

  constructor(
    cycle: Cycle,
    constraints: readonly SpreadConstraint[],
    counts: readonly Map<string, number>[],
  ) {
    this.#cycle = cycle;
    this.#constraints = constraints;
    this.#counts = counts;
    this.#fewest = constraints.map(() => undefined);
    this.#itself = constraints.map(({ selector }) => (selectorMatches(selector, cycle.info.labels) ? 1 : 0));
  }

  check({ labels }: NodeInfo): Obstacle | undefined {
    for (let index = 0; index < this.#constraints.length; index++) {
      const { topologyKey = "", maxSkew = 1 } = this.#constraints[index] ?? {};
      const domain = labelOf(labels, topologyKey);
      if (domain === undefined) return unlabelled;
      const there = this.#counts[index]?.get(domain) ?? 0;
      if (there + (this.#itself[index] ?? 0) - this.#fewestOf(index) > maxSkew) return skewed;
    }
    return undefined;
  }

  change(other: PodInfo, node: NodeInfo, by: 1 | -1): void {
    const { info, pod } = this.#cycle;
    if (other.namespace !== info.namespace || !hasTopologies(node, this.#constraints)) return;
    for (const [index, constraint] of this.#constraints.entries()) {
      if (!selectorMatches(constraint.selector, other.labels) || !isCounted(constraint, node, pod)) continue;
      const domain = labelOf(node.labels, constraint.topologyKey) ?? "";
      const counts = this.#counts[index];
      counts?.set(domain, (counts.get(domain) ?? 0) + by);
      this.#fewest[index] = undefined;
    }
  }

  clone(): SpreadFilter {
    const counts = this.#counts.map((each) => new Map(each));
    return new SpreadFilter(this.#cycle, this.#constraints, counts);
  }

  #fewestOf(index: number): number {
    const known = this.#fewest[index];
    if (known !== undefined) return known;
    const counts = this.#counts[index] ?? new Map<string, number>();
    const isFew = counts.size < (this.#constraints[index]?.minDomains ?? 1);
    let fewest = isFew || counts.size === 0 ? 0 : Number.POSITIVE_INFINITY;
    if (fewest !== 0) for (const count of counts.values()) fewest = Math.min(fewest, count);
    this.#fewest[index] = fewest;
    return fewest;
  }
}
