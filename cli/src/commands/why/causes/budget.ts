import { intAt, selectorFromLabelSelector, selectorMatches } from "@kedge/machinery";
import type { PodDisruptionBudget } from "@kedge/machinery/kinds/policy/v1";
import { inNamespace, typed, type Cause } from "../cause.ts";
import type { AnyObject, Situation } from "../situation.ts";

/** Whether an object is a PodDisruptionBudget. */
export function isBudget(object: AnyObject): object is AnyObject & PodDisruptionBudget {
  return object.kind === "PodDisruptionBudget" && object.apiVersion === "policy/v1";
}

/** How many pods a budget lets be evicted now; undefined when nobody has counted its pods yet. */
export function evictionsAllowed(budget: AnyObject): number | undefined {
  return intAt(budget, "status.disruptionsAllowed");
}

/** The pods of a budget that allows no eviction, of which some may be in trouble; a cause, when none is. */
export function behindBudget(
  budget: AnyObject & PodDisruptionBudget,
  situation: Situation,
): { readonly pods: readonly AnyObject[]; readonly causes: readonly Cause[] } {
  if (evictionsAllowed(budget) !== 0) return { pods: [], causes: [] };
  const selector = selectorFromLabelSelector(budget.spec?.selector);
  const pods = situation.facts.pods.filter(({ metadata }) => selectorMatches(selector, metadata.labels));
  const { currentHealthy: healthy = 0, desiredHealthy: needed = 0 } = budget.status ?? {};
  const cause: Cause =
    pods.length === 0
      ? {
          about: budget,
          says: "is about no pod: none has the labels that it selects",
          fix: `kubectl get pods${inNamespace(budget)} --show-labels`,
        }
      : {
          about: budget,
          says: `has no pod to spare: ${healthy} of its pods are healthy, and ${needed} must be (${ruleOf(budget)})`,
          fix: `more replicas, or another rule: kubectl edit ${typed(budget)}${inNamespace(budget)}`,
        };
  return { pods, causes: [cause] };
}

function ruleOf({ spec }: PodDisruptionBudget): string {
  return spec?.minAvailable === undefined
    ? `maxUnavailable: ${spec?.maxUnavailable ?? "none"}`
    : `minAvailable: ${spec.minAvailable}`;
}
