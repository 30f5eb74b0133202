import { labelOf } from "@kedge/machinery";
import type { Cycle } from "../cycle.ts";
import { DomainCounts } from "../view/domain-counts.ts";
import { termMatches } from "../view/affinity-term.ts";
import { matchingTerm } from "../view/matching-term.ts";
import type { NodeInfo } from "../view/node-info.ts";
import { best, type Score } from "./types.ts";

/** Nodes near pods that the pod would like to be beside, or that would like it beside them; and far from others. */
export const interPodAffinityScore: Score = {
  name: "InterPodAffinity",
  prepare(cycle) {
    const weights = weightsOf(cycle);
    if (weights.isEmpty) return undefined;
    const byKey = Array.from(weights.keys, (key) => ({ key, domains: weights.by(key) }));
    return {
      of({ labels }) {
        let sum = 0;
        for (const { key, domains } of byKey) {
          const domain = labelOf(labels, key);
          if (domain !== undefined) sum += domains?.get(domain) ?? 0;
        }
        return sum;
      },
      normalize(scores) {
        const least = Math.min(...scores);
        const range = Math.max(...scores) - least;
        for (const [index, score] of scores.entries()) {
          scores[index] = range === 0 ? 0 : Math.trunc(best * ((score - least) / range));
        }
      },
    };
  },
};

function weightsOf(cycle: Cycle): DomainCounts {
  const { info, view, namespaceLabels, profile } = cycle;
  const { hardPodAffinityWeight = 1 } = profile;
  const weights = new DomainCounts();
  const nodeOf = (name: string): NodeInfo | undefined => view.node(name);
  for (const { term, weight } of info.terms.preferred) {
    const byNode = matchingTerm(term, view.matching, namespaceLabels);
    weights.addAll(term.topologyKey, byNode, { nodeOf, factor: weight });
  }
  for (const { term, weight, byNode } of view.terms.preferred) {
    if (!termMatches(term, info, namespaceLabels)) continue;
    weights.addAll(term.topologyKey, byNode, { nodeOf, factor: weight });
  }
  if (hardPodAffinityWeight === 0) return weights;
  for (const { term, byNode } of view.terms.required) {
    if (!termMatches(term, info, namespaceLabels)) continue;
    weights.addAll(term.topologyKey, byNode, { nodeOf, factor: hardPodAffinityWeight });
  }
  return weights;
}
