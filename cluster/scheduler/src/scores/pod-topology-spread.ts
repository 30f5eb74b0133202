import { labelOf } from "@kedge/machinery";
import type { Cycle } from "../cycle.ts";
import {
  constraintsOf,
  hasTopologies,
  isCounted,
  matchingOf,
  type SpreadConstraint,
} from "../spread/constraint.ts";
import type { NodeInfo } from "../view/node-info.ts";
import { best, type PreparedScore, type Score } from "./types.ts";

const hostname = "kubernetes.io/hostname";

/** Nodes in domains with fewer of the pod's like, by the constraints that are only wishes. */
export const podTopologySpreadScore: Score = {
  name: "PodTopologySpread",
  prepare(cycle, nodes) {
    const constraints = constraintsOf(cycle, "ScheduleAnyway");
    if (constraints.length === 0) return undefined;
    // By the defaults of the system, nodes without a zone are spread over, too.
    const isOwn = (cycle.pod.spec.topologySpreadConstraints ?? []).length > 0;
    const needsAll = isOwn || cycle.profile.defaultConstraints !== undefined;
    return new SpreadScore({ cycle, constraints, nodes, needsAll });
  },
};

interface SpreadSetup {
  readonly cycle: Cycle;
  readonly constraints: readonly SpreadConstraint[];
  readonly nodes: readonly NodeInfo[];
  /** Whether nodes that lack a label of any constraint come last. */
  readonly needsAll: boolean;
}

interface Wish {
  readonly topologyKey: string;
  readonly maxSkew: number;
  /** The more domains there are, the more each pod in one counts. */
  readonly weight: number;
  /** By the label's value; of the host name, by the node's name. */
  readonly counts: ReadonlyMap<string, number>;
}

class SpreadScore implements PreparedScore {
  readonly #wishes: readonly Wish[];
  readonly #ignored: ReadonlySet<NodeInfo>;

  constructor({ cycle, constraints, nodes, needsAll }: SpreadSetup) {
    const ignored = needsAll ? nodes.filter((node) => !hasTopologies(node, constraints)) : [];
    this.#ignored = new Set(ignored);
    const candidates = ignored.length === 0 ? nodes : nodes.filter((node) => !this.#ignored.has(node));
    this.#wishes = constraints.map((constraint) => {
      const { topologyKey, maxSkew } = constraint;
      const matching = matchingOf(constraint, cycle);
      if (topologyKey === hostname) {
        return { topologyKey, maxSkew, weight: Math.log(candidates.length + 2), counts: matching };
      }
      const counts = new Map<string, number>();
      for (const { labels } of candidates) counts.set(labelOf(labels, topologyKey) ?? "", 0);
      for (const node of cycle.view.nodes) {
        const more = matching.get(node.name);
        if (more === undefined) continue;
        const domain = labelOf(node.labels, topologyKey) ?? "";
        const count = counts.get(domain);
        if (count === undefined) continue;
        if (needsAll && !hasTopologies(node, constraints)) continue;
        if (isCounted(constraint, node, cycle.pod)) counts.set(domain, count + more);
      }
      return { topologyKey, maxSkew, weight: Math.log(counts.size + 2), counts };
    });
  }

  of(node: NodeInfo): number {
    if (this.#ignored.has(node)) return 0;
    let score = 0;
    for (const { topologyKey, maxSkew, weight, counts } of this.#wishes) {
      const domain = labelOf(node.labels, topologyKey);
      if (domain === undefined) continue;
      const count = counts.get(topologyKey === hostname ? node.name : domain) ?? 0;
      score += count * weight + (maxSkew - 1);
    }
    return Math.round(score);
  }

  normalize(scores: number[], nodes: readonly NodeInfo[]): void {
    let [least, most] = [Number.POSITIVE_INFINITY, 0];
    const isIgnored = (index: number): boolean => {
      const node = this.#ignored.size === 0 ? undefined : nodes[index];
      return node !== undefined && this.#ignored.has(node);
    };
    for (let index = 0; index < scores.length; index++) {
      const score = scores[index] ?? 0;
      if (isIgnored(index)) continue;
      if (score < least) least = score;
      if (score > most) most = score;
    }
    for (let index = 0; index < scores.length; index++) {
      const score = scores[index] ?? 0;
      if (isIgnored(index)) scores[index] = 0;
      else scores[index] = most === 0 ? best : Math.trunc((best * (most + least - score)) / most);
    }
  }
}
