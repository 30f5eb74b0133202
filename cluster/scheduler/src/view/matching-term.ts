import { termMatches, type AffinityTerm, type NamespaceLabels } from "./affinity-term.ts";
import type { MatchingPods } from "./matching-pods.ts";
import type { PodInfo } from "./pod-info.ts";

/** Whether all rules mean a pod. No rules mean nobody. */
export function matchesAll(
  terms: readonly AffinityTerm[],
  pod: PodInfo,
  namespaceLabels: NamespaceLabels,
): boolean {
  return terms.length > 0 && terms.every((term) => termMatches(term, pod, namespaceLabels));
}

/** How many pods on each node a rule means. */
export function matchingTerm(
  term: AffinityTerm,
  matching: MatchingPods,
  namespaceLabels: NamespaceLabels,
): ReadonlyMap<string, number> {
  return matchingAll([term], matching, namespaceLabels);
}

/** How many pods on each node all rules mean. */
export function matchingAll(
  terms: readonly AffinityTerm[],
  matching: MatchingPods,
  namespaceLabels: NamespaceLabels,
): ReadonlyMap<string, number> {
  return matching.count({
    key: `affinity ${terms.map(({ key }) => key).join(" ")}`,
    namespace: onlyNamespace(terms),
    means: (pod) => matchesAll(terms, pod, namespaceLabels),
  });
}

/** The namespace that pods must be in to be meant by all terms, if it is one. */
function onlyNamespace(terms: readonly AffinityTerm[]): string | undefined {
  const only = terms.find(
    ({ namespaces, namespaceSelector }) => namespaces.size === 1 && !namespaceSelector.selectable,
  );
  return only === undefined ? undefined : [...only.namespaces][0];
}
