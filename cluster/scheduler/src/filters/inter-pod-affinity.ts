import { deepEqual, labelOf } from "@kedge/machinery";
import type { Cycle } from "../cycle.ts";
import { termMatches, type AffinityTerm } from "../view/affinity-term.ts";
import { DomainCounts } from "../view/domain-counts.ts";
import { matchesAll, matchingAll, matchingTerm } from "../view/matching-term.ts";
import type { NodeInfo } from "../view/node-info.ts";
import type { PodInfo } from "../view/pod-info.ts";
import { obstacle, type Filter, type Obstacle, type PreparedFilter } from "./types.ts";

const plugin = "InterPodAffinity";
const notBeside = obstacle(plugin, "node(s) didn't match pod affinity rules", "lasting");
const notApart = obstacle(plugin, "node(s) didn't match pod anti-affinity rules", "by others");
const refused = obstacle(plugin, "node(s) didn't satisfy existing pods anti-affinity rules", "by others");

/** Nodes that the pod's required rules about other pods, or theirs about it, do not allow. */
export const interPodAffinity: Filter = {
  name: plugin,
  prepare(cycle) {
    const { required, requiredAnti } = cycle.info.terms;
    const refusals = refusalsOf(cycle);
    if (required.length === 0 && requiredAnti.length === 0 && refusals.isEmpty) return undefined;
    return new AffinityFilter(cycle, {
      beside: countsOfAll(required, cycle),
      apart: countsOfEach(requiredAnti, cycle),
      refusals,
    });
  },
  events: ["pod-added", "pod-changed", "pod-removed", "node-added", "node-changed"],
  mayHelp(event, waiting, { namespaceLabels }) {
    const { required, requiredAnti } = waiting.terms;
    const meansAll = (terms: readonly AffinityTerm[], other: PodInfo): boolean =>
      matchesAll(terms, other, namespaceLabels);
    switch (event.type) {
      case "pod-added":
        return meansAll(required, event.pod);
      case "pod-removed":
        return meansAll(requiredAnti, event.pod) || meansAll(event.pod.terms.requiredAnti, waiting);
      case "pod-changed": {
        const { pod, previous } = event;
        if (pod.uid === waiting.uid) return !deepEqual(pod.labels, previous.labels);
        return (
          (!meansAll(required, previous) && meansAll(required, pod)) ||
          (meansAll(requiredAnti, previous) && !meansAll(requiredAnti, pod))
        );
      }
      case "node-added":
        return (
          requiredAnti.length > 0 ||
          required.some(({ topologyKey }) => labelOf(event.node.labels, topologyKey) !== undefined)
        );
      case "node-changed":
        return [...required, ...requiredAnti].some(
          ({ topologyKey: key }) => labelOf(event.node.labels, key) !== labelOf(event.previous.labels, key),
        );
      default:
        return false;
    }
  },
};

interface AffinityCounts {
  /** Pods that all required rules mean. */
  readonly beside: DomainCounts;
  /** Pods that a rule of the pod keeps it apart from. */
  readonly apart: DomainCounts;
  /** Rules of other pods against this one. */
  readonly refusals: DomainCounts;
}

class AffinityFilter implements PreparedFilter {
  readonly #cycle: Cycle;
  readonly #counts: AffinityCounts;
  /** Whether the pod is one of those that it wants to be beside. */
  readonly #isItself: boolean;

  constructor(cycle: Cycle, counts: AffinityCounts) {
    this.#cycle = cycle;
    this.#counts = counts;
    this.#isItself = matchesAll(cycle.info.terms.required, cycle.info, cycle.namespaceLabels);
  }

  check({ labels }: NodeInfo): Obstacle | undefined {
    const { required, requiredAnti } = this.#cycle.info.terms;
    const { beside, apart, refusals } = this.#counts;
    let isBeside = true;
    for (const { topologyKey } of required) {
      const domain = labelOf(labels, topologyKey);
      if (domain === undefined) return notBeside;
      if (beside.of(topologyKey, domain) <= 0) isBeside = false;
    }
    // The first of a group has nobody to be beside: it may go anywhere that has the topology.
    if (!isBeside && !(beside.isEmpty && this.#isItself)) return notBeside;
    for (const { topologyKey } of requiredAnti) {
      const domain = labelOf(labels, topologyKey);
      if (domain !== undefined && apart.of(topologyKey, domain) > 0) return notApart;
    }
    for (const topologyKey of refusals.keys) {
      const domain = labelOf(labels, topologyKey);
      if (domain !== undefined && refusals.of(topologyKey, domain) > 0) return refused;
    }
    return undefined;
  }

  change(other: PodInfo, node: NodeInfo, by: 1 | -1): void {
    const { info, namespaceLabels } = this.#cycle;
    const { beside, apart, refusals } = this.#counts;
    const { required, requiredAnti } = info.terms;
    for (const term of other.terms.requiredAnti) {
      if (termMatches(term, info, namespaceLabels)) refusals.add(term.topologyKey, node, by);
    }
    if (matchesAll(required, other, namespaceLabels)) {
      for (const { topologyKey } of required) beside.add(topologyKey, node, by);
    }
    for (const term of requiredAnti) {
      if (termMatches(term, other, namespaceLabels)) apart.add(term.topologyKey, node, by);
    }
  }

  clone(): AffinityFilter {
    const { beside, apart, refusals } = this.#counts;
    return new AffinityFilter(this.#cycle, {
      beside: beside.clone(),
      apart: apart.clone(),
      refusals: refusals.clone(),
    });
  }
}

function refusalsOf({ info, view, namespaceLabels }: Cycle): DomainCounts {
  const counts = new DomainCounts();
  for (const { term, byNode } of view.terms.requiredAnti) {
    if (!termMatches(term, info, namespaceLabels)) continue;
    counts.addAll(term.topologyKey, byNode, { nodeOf: (name) => view.node(name) });
  }
  return counts;
}

function countsOfAll(terms: readonly AffinityTerm[], { view, namespaceLabels }: Cycle): DomainCounts {
  const counts = new DomainCounts();
  if (terms.length === 0) return counts;
  const byNode = matchingAll(terms, view.matching, namespaceLabels);
  for (const { topologyKey } of terms) {
    counts.addAll(topologyKey, byNode, { nodeOf: (name) => view.node(name) });
  }
  return counts;
}

function countsOfEach(terms: readonly AffinityTerm[], { view, namespaceLabels }: Cycle): DomainCounts {
  const counts = new DomainCounts();
  for (const term of terms) {
    const byNode = matchingTerm(term, view.matching, namespaceLabels);
    counts.addAll(term.topologyKey, byNode, { nodeOf: (name) => view.node(name) });
  }
  return counts;
}
