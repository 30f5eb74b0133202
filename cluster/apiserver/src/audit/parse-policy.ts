import { parse } from "yaml";
import type { AuditLevel, AuditPolicy, AuditResources, AuditRule, AuditStage } from "./types.ts";

const levels: readonly AuditLevel[] = ["None", "Metadata", "Request", "RequestResponse"];
const stages: readonly AuditStage[] = ["RequestReceived", "ResponseStarted", "ResponseComplete", "Panic"];
const ruleFields = [
  "level",
  "users",
  "userGroups",
  "verbs",
  "resources",
  "namespaces",
  "nonResourceURLs",
  "omitStages",
  "omitManagedFields",
];

/** Reads a Policy of audit.k8s.io/v1. Throws what is wrong with it, with its field. */
export function parseAuditPolicy(text: string): AuditPolicy {
  const policy = record(parse(text), "the file");
  if (policy["kind"] !== "Policy" || policy["apiVersion"] !== "audit.k8s.io/v1")
    throw wrong("kind", "must be Policy of audit.k8s.io/v1");
  checkNames(policy, ["kind", "apiVersion", "metadata", "rules", "omitStages", "omitManagedFields"], "");
  const omitted = stagesOf(policy["omitStages"], "omitStages");
  const omitManagedFields = policy["omitManagedFields"] === true;
  const rules = list(policy["rules"], "rules").map((rule, index) =>
    ruleOf(rule, `rules[${index}]`, { omitted, omitManagedFields }),
  );
  if (rules.length === 0) throw wrong("rules", "at least one is needed: without any nothing would be told");
  return { rules };
}

function ruleOf(
  value: unknown,
  path: string,
  all: { readonly omitted: readonly AuditStage[]; readonly omitManagedFields: boolean },
): AuditRule {
  const rule = record(value, path);
  checkNames(rule, ruleFields, path);
  const level = levels.find((name) => name === rule["level"]);
  if (level === undefined) throw wrong(`${path}.level`, `must be one of ${levels.join(", ")}`);
  const texts = (name: string): readonly string[] => textsOf(rule[name], `${path}.${name}`);
  const nonResourceURLs = texts("nonResourceURLs");
  for (const [index, url] of nonResourceURLs.entries())
    if (url !== "*" && !/^\/[^*]*\*?$/u.test(url))
      throw wrong(`${path}.nonResourceURLs[${index}]`, "must begin with / and have * only at its end");
  const namespaces = texts("namespaces");
  const resources = list(rule["resources"] ?? [], `${path}.resources`).map((each, index) =>
    resourcesOf(each, `${path}.resources[${index}]`),
  );
  if (nonResourceURLs.length > 0 && namespaces.length + resources.length > 0)
    throw wrong(
      `${path}.nonResourceURLs`,
      "rules cannot apply to both regular resources and non-resource URLs",
    );
  return {
    level,
    users: texts("users"),
    userGroups: texts("userGroups"),
    verbs: texts("verbs"),
    namespaces,
    resources,
    nonResourceURLs,
    omitStages: new Set([...all.omitted, ...stagesOf(rule["omitStages"], `${path}.omitStages`)]),
    omitManagedFields:
      typeof rule["omitManagedFields"] === "boolean" ? rule["omitManagedFields"] : all.omitManagedFields,
  };
}

function resourcesOf(value: unknown, path: string): AuditResources {
  const each = record(value, path);
  checkNames(each, ["group", "resources", "resourceNames"], path);
  const { group = "" } = each;
  if (typeof group !== "string" || group.includes("/"))
    throw wrong(`${path}.group`, "must be a group without its version; empty for the core group");
  const resources = textsOf(each["resources"], `${path}.resources`);
  const resourceNames = textsOf(each["resourceNames"], `${path}.resourceNames`);
  if (resourceNames.length > 0 && resources.length === 0)
    throw wrong(`${path}.resourceNames`, "using resourceNames requires at least one resource");
  return { group, resources, resourceNames };
}

function stagesOf(value: unknown, path: string): readonly AuditStage[] {
  return textsOf(value, path).map((text) => {
    const stage = stages.find((name) => name === text);
    if (stage === undefined) throw wrong(path, `allowed stages are ${stages.join(",")}`);
    return stage;
  });
}

function textsOf(value: unknown, path: string): readonly string[] {
  return list(value ?? [], path).map((text) => {
    if (typeof text !== "string") throw wrong(path, "must be a list of texts");
    return text;
  });
}

function record(value: unknown, path: string): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw wrong(path, "must be an object");
  return Object.fromEntries(Object.entries(value));
}

function list(value: unknown, path: string): readonly unknown[] {
  if (!Array.isArray(value)) throw wrong(path, "must be a list");
  return value;
}

function checkNames(value: Record<string, unknown>, known: readonly string[], path: string): void {
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown !== undefined) throw wrong(path === "" ? unknown : `${path}.${unknown}`, "is not known");
}

function wrong(path: string, why: string): Error {
  return new Error(`the audit policy is wrong: ${path}: ${why}`);
}
