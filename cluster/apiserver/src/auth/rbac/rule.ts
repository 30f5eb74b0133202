import type { PolicyRule } from "@kedge/machinery/kinds/rbac/v1";
import type { Decoded } from "../../registry/decoded.ts";
import type { Attributes } from "../types.ts";

/** A rule of a role, as it was stored. */
export type Rule = Decoded<PolicyRule>;

/** Whether a rule lets somebody do what the attributes say. */
export function ruleAllows(rule: Rule, { verb, path, resource }: Attributes): boolean {
  if (!has(rule.verbs, verb)) return false;
  if (resource === undefined) return rule.nonResourceURLs?.some((url) => urlCovers(url, path)) === true;
  const { group, plural, subresource, name } = resource;
  return (
    has(rule.apiGroups, group) &&
    rule.resources?.some((each) => resourceMatches(each, plural, subresource)) === true &&
    (isEmpty(rule.resourceNames) || rule.resourceNames?.includes(name) === true)
  );
}

/** Whether a path of a rule, which may end in a star, stands for another path. */
export function urlCovers(url: string, path: string): boolean {
  return url === path || (url.endsWith("*") && path.startsWith(url.replace(/\*+$/u, "")));
}

function resourceMatches(given: string, plural: string, subresource: string): boolean {
  if (given === "*") return true;
  if (subresource === "") return given === plural;
  return given === `${plural}/${subresource}` || given === `*/${subresource}`;
}

function has(values: readonly string[] | undefined, wanted: string): boolean {
  return values?.some((value) => value === "*" || value === wanted) === true;
}

function isEmpty(values: readonly string[] | undefined): boolean {
  return values === undefined || values.length === 0;
}
