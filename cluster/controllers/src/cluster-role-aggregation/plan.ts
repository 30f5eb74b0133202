import { deepEqual, selectorFromLabelSelector, selectorMatches, type DeepReadonly } from "@kedge/machinery";
import type { ClusterRole, PolicyRule } from "@kedge/machinery/kinds/rbac/v1";

/**
 * The rules that a role with an aggregationRule is to have: those of all roles that its selectors choose, each once, by
 * the order of selectors and names. Undefined when the role has no such rule, or has them already.
 */
export function aggregatedRules(
  role: DeepReadonly<ClusterRole>,
  all: readonly DeepReadonly<ClusterRole>[],
): readonly DeepReadonly<PolicyRule>[] | undefined {
  const { aggregationRule, metadata } = role;
  if (aggregationRule === undefined) return undefined;
  const others = all
    .filter(({ metadata: { name } }) => name !== metadata.name)
    .toSorted((one, other) => (one.metadata.name < other.metadata.name ? -1 : 1));
  const rules = new Map<string, DeepReadonly<PolicyRule>>();
  for (const source of aggregationRule.clusterRoleSelectors ?? []) {
    const selector = selectorFromLabelSelector(source);
    for (const other of others) {
      if (!selectorMatches(selector, other.metadata.labels)) continue;
      for (const rule of other.rules ?? []) rules.set(textOf(rule), rule);
    }
  }
  const wanted = [...rules.values()];
  return deepEqual(wanted, role.rules ?? []) ? undefined : wanted;
}

/** Equal for equal rules. */
function textOf(rule: DeepReadonly<PolicyRule>): string {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  return JSON.stringify([verbs, apiGroups, resources, resourceNames, nonResourceURLs]);
}
