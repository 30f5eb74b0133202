import { fieldInvalid, fieldPath, validateLabelSelector, type FieldError } from "@kedge/machinery";
import { PodDisruptionBudget, type PodDisruptionBudgetSpec } from "@kedge/machinery/kinds/policy/v1";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";
import { labelSelectorOf, shownSelector } from "../../registry/label-selector.ts";
import type { StoredApiObject } from "../../registry/types.ts";
import { validateConditions } from "../validation/conditions.ts";
import { nonNegative, optionalOneOf } from "../validation/field-rules.ts";
import { atMostAll, positiveIntOrPercent } from "../validation/int-or-percent.ts";

/** What is wrong with a disruption budget by itself. */
export function validateBudget(object: StoredApiObject): FieldError[] {
  const spec = decodedAs(PodDisruptionBudget, object).spec ?? {};
  const path = fieldPath("spec");
  const { minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy: policy } = spec;
  const both = "minAvailable and maxUnavailable cannot be both set";
  return [
    ...(minAvailable !== undefined && maxUnavailable !== undefined
      ? [fieldInvalid(path, shownSpec(spec), both)]
      : []),
    ...positiveIntOrPercent(minAvailable, path.child("minAvailable")),
    ...atMostAll(minAvailable, path.child("minAvailable")),
    ...positiveIntOrPercent(maxUnavailable, path.child("maxUnavailable")),
    ...atMostAll(maxUnavailable, path.child("maxUnavailable")),
    ...validateLabelSelector(labelSelectorOf(selector), path.child("selector")),
    ...optionalOneOf(policy, ["AlwaysAllow", "IfHealthyBudget"], path.child("unhealthyPodEvictionPolicy")),
  ];
}

/** What is wrong with the status of a disruption budget. */
export function validateBudgetStatus(object: StoredApiObject): FieldError[] {
  const status = decodedAs(PodDisruptionBudget, object).status ?? {};
  const counts = ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"] as const;
  return [
    ...validateConditions(status.conditions, fieldPath("status", "conditions")),
    ...counts.flatMap((name) => nonNegative(status[name], fieldPath("status", name))),
  ];
}

/** As Go prints its own struct. */
function shownSpec(spec: Decoded<PodDisruptionBudgetSpec>): unknown {
  return new Map<string, unknown>([
    ["MinAvailable", spec.minAvailable ?? null],
    ["Selector", shownSelector(spec.selector)],
    ["MaxUnavailable", spec.maxUnavailable ?? null],
    ["UnhealthyPodEvictionPolicy", spec.unhealthyPodEvictionPolicy ?? null],
  ]);
}
