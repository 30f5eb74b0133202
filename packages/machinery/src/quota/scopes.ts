import { isFulfilled } from "../selectors/selector.ts";
import type { CountingQuota, Evaluator, ScopeRequirement } from "./types.ts";

/** All scopes of a quota: those of its list apply when they are there at all. */
export function scopesOf({ spec }: CountingQuota): readonly ScopeRequirement[] {
  return [
    ...(spec?.scopes ?? []).map((scopeName) => ({ scopeName, operator: "Exists" })),
    ...(spec?.scopeSelector?.matchExpressions ?? []),
  ];
}

/** Whether all scopes of a quota apply to an object. */
export function isCounted(evaluator: Evaluator, quota: CountingQuota, object: object): boolean {
  return scopesOf(quota).every((scope) => evaluator.isInScope(object, scope));
}

/** Whether a scope with values applies to what has one of these names, or none. */
export function scopeSelects({ operator, values = [] }: ScopeRequirement, names: readonly string[]): boolean {
  const found = operators.get(operator ?? "");
  if (found === undefined) return false;
  if (names.length === 0) return isFulfilled(found, values, undefined);
  return names.some((name) => isFulfilled(found, values, name));
}

const operators: ReadonlyMap<string, "in" | "notin" | "exists" | "!"> = new Map([
  ["In", "in"],
  ["NotIn", "notin"],
  ["Exists", "exists"],
  ["DoesNotExist", "!"],
]);
