import type { Attributes } from "../auth/types.ts";
import type {
  FlowConfig,
  FlowRule,
  FlowSchema,
  FlowSubject,
  NonResourceRule,
  ResourceRule,
} from "./types.ts";

/** To which level a request belongs, and to which flow of it. */
export interface Flow {
  readonly schema: string;
  readonly level: string;
  /** What tells it apart from other flows of its level. */
  readonly id: string;
}

/** Makes the question to which flow a request belongs. */
export function classifierOf({ schemas }: Pick<FlowConfig, "schemas">): (attributes: Attributes) => Flow {
  const ordered = schemas.toSorted((a, b) => a.precedence - b.precedence || (a.name < b.name ? -1 : 1));
  return (attributes) => {
    const schema = ordered.find(({ rules }) => rules.some((rule) => matches(rule, attributes)));
    if (schema === undefined) return { schema: "", level: "catch-all", id: "" };
    return {
      schema: schema.name,
      level: schema.level,
      id: `${schema.name}/${distinguish(schema, attributes)}`,
    };
  };
}

function distinguish({ distinguisher }: FlowSchema, { user, resource }: Attributes): string {
  if (distinguisher === "ByUser") return user.name;
  return distinguisher === "ByNamespace" ? (resource?.namespace ?? "") : "";
}

function matches({ subjects, resourceRules, nonResourceRules }: FlowRule, attributes: Attributes): boolean {
  if (!subjects.some((subject) => isOf(subject, attributes))) return false;
  return attributes.resource === undefined
    ? nonResourceRules.some((rule) => isForPath(rule, attributes))
    : resourceRules.some((rule) => isForResource(rule, attributes, attributes.resource));
}

function isOf(subject: FlowSubject, { user }: Attributes): boolean {
  if (subject.kind === "Group") return subject.name === "*" || user.groups.includes(subject.name);
  if (subject.kind === "User") return subject.name === "*" || user.name === subject.name;
  const prefix = `system:serviceaccount:${subject.namespace}:`;
  return subject.name === "*" ? user.name.startsWith(prefix) : user.name === `${prefix}${subject.name}`;
}

function isForResource(
  { verbs, apiGroups, resources, namespaces, clusterScope }: ResourceRule,
  { verb }: Attributes,
  resource: Attributes["resource"],
): boolean {
  if (resource === undefined) return false;
  const { group, plural, subresource, namespace } = resource;
  const whole = subresource === "" ? plural : `${plural}/${subresource}`;
  return (
    has(verbs, verb) &&
    has(apiGroups, group) &&
    has(resources, whole) &&
    (namespace === "" ? clusterScope : has(namespaces, namespace))
  );
}

function isForPath({ verbs, nonResourceURLs }: NonResourceRule, { verb, path }: Attributes): boolean {
  return (
    has(verbs, verb) &&
    nonResourceURLs.some(
      (url) => url === "*" || url === path || (url.endsWith("/*") && path.startsWith(url.slice(0, -1))),
    )
  );
}

function has(list: readonly string[], value: string): boolean {
  return list.includes("*") || list.includes(value);
}
