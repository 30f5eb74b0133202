import {
  fieldInvalid,
  fieldPath,
  fieldRequired,
  validateLabelSelector,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import { ClusterRole, Role, type PolicyRule } from "@kedge/machinery/kinds/rbac/v1";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";
import { labelSelectorOf } from "../../registry/label-selector.ts";
import type { StoredApiObject } from "../../registry/types.ts";

/** All that is wrong with a Role by itself. */
export function validateRole(object: StoredApiObject): FieldError[] {
  return ruleErrors(decodedAs(Role, object).rules, "Namespaced");
}

/** All that is wrong with a ClusterRole by itself. */
export function validateClusterRole(object: StoredApiObject): FieldError[] {
  const { rules, aggregationRule } = decodedAs(ClusterRole, object);
  const errors = ruleErrors(rules, "Cluster");
  if (aggregationRule === undefined) return errors;
  const path = fieldPath("aggregationRule", "clusterRoleSelectors");
  const selectors = aggregationRule.clusterRoleSelectors ?? [];
  if (selectors.length === 0) {
    errors.push(
      fieldRequired(path, "at least one clusterRoleSelector required if aggregationRule is non-nil"),
    );
  }
  return [
    ...errors,
    ...selectors.flatMap((selector, index) => {
      const own = path.index(index);
      const faults = validateLabelSelector(labelSelectorOf(selector), own);
      return faults.length === 0 ? [] : [...faults, fieldInvalid(own, null, "invalid label selector.")];
    }),
  ];
}

function ruleErrors(
  rules: readonly Decoded<PolicyRule>[] | null | undefined,
  scope: "Namespaced" | "Cluster",
): FieldError[] {
  return (rules ?? []).flatMap((rule, index) => errorsOf(rule, scope, fieldPath("rules").index(index)));
}

function errorsOf(rule: Decoded<PolicyRule>, scope: "Namespaced" | "Cluster", path: FieldPath): FieldError[] {
  const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  // Null where Kubernetes writes a list that is not set.
  const verbs = rule.verbs ?? [];
  const errors: FieldError[] = [];
  if (verbs.length === 0)
    errors.push(fieldRequired(path.child("verbs"), "verbs must contain at least one value"));
  if (nonResourceURLs.length > 0) {
    const refused = (why: string): FieldError =>
      fieldInvalid(path.child("nonResourceURLs"), nonResourceURLs, why);
    if (scope === "Namespaced") errors.push(refused("namespaced rules cannot apply to non-resource URLs"));
    if (apiGroups.length + resources.length + resourceNames.length > 0)
      errors.push(refused("rules cannot apply to both regular resources and non-resource URLs"));
    return errors;
  }
  if (apiGroups.length === 0)
    errors.push(fieldRequired(path.child("apiGroups"), "resource rules must supply at least one api group"));
  if (resources.length === 0)
    errors.push(fieldRequired(path.child("resources"), "resource rules must supply at least one resource"));
  return errors;
}
