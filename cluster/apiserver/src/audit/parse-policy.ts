import { readConfigFile, type ConfigField } from "../config-file/read-config-file.ts";
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
  const policy = readConfigFile(text, {
    what: "the audit policy",
    kind: "Policy",
    apiVersion: "audit.k8s.io/v1",
    known: ["metadata", "rules", "omitStages", "omitManagedFields"],
  });
  const all = {
    omitted: stagesOf(policy.get("omitStages")),
    omitManagedFields: policy.get("omitManagedFields").value === true,
  };
  const rules = policy.get("rules");
  const read = rules.elements("required").map((rule) => ruleOf(rule, all));
  if (read.length === 0) throw rules.wrong("at least one is needed: without any nothing would be told");
  return { rules: read };
}

function ruleOf(
  field: ConfigField,
  all: { readonly omitted: readonly AuditStage[]; readonly omitManagedFields: boolean },
): AuditRule {
  const rule = field.fields(ruleFields);
  const level = levels.find((name) => name === rule.get("level").value);
  if (level === undefined) throw rule.get("level").wrong(`must be one of ${levels.join(", ")}`);
  const texts = (name: string): readonly string[] => rule.get(name).texts();
  const urls = rule.get("nonResourceURLs");
  for (const { value, wrong } of urls.elements())
    if (typeof value === "string" && value !== "*" && !/^\/[^*]*\*?$/u.test(value))
      throw wrong("must begin with / and have * only at its end");
  const nonResourceURLs = urls.texts();
  const namespaces = texts("namespaces");
  const resources = rule.get("resources").elements().map(resourcesOf);
  if (nonResourceURLs.length > 0 && namespaces.length + resources.length > 0)
    throw urls.wrong("rules cannot apply to both regular resources and non-resource URLs");
  const { value: omitManagedFields } = rule.get("omitManagedFields");
  return {
    level,
    users: texts("users"),
    userGroups: texts("userGroups"),
    verbs: texts("verbs"),
    namespaces,
    resources,
    nonResourceURLs,
    omitStages: new Set([...all.omitted, ...stagesOf(rule.get("omitStages"))]),
    omitManagedFields: typeof omitManagedFields === "boolean" ? omitManagedFields : all.omitManagedFields,
  };
}

function resourcesOf(field: ConfigField): AuditResources {
  const each = field.fields(["group", "resources", "resourceNames"]);
  const { value: group = "" } = each.get("group");
  if (typeof group !== "string" || group.includes("/"))
    throw each.get("group").wrong("must be a group without its version; empty for the core group");
  const resources = each.get("resources").texts();
  const resourceNames = each.get("resourceNames").texts();
  if (resourceNames.length > 0 && resources.length === 0)
    throw each.get("resourceNames").wrong("using resourceNames requires at least one resource");
  return { group, resources, resourceNames };
}

function stagesOf(field: ConfigField): readonly AuditStage[] {
  return field.texts().map((text) => {
    const stage = stages.find((name) => name === text);
    if (stage === undefined) throw field.wrong(`allowed stages are ${stages.join(",")}`);
    return stage;
  });
}
