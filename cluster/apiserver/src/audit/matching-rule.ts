import type { Attributes } from "../auth/types.ts";
import type { AuditPolicy, AuditResources, AuditRule } from "./types.ts";

/** The first rule that is about a request; undefined when it is not told at all. */
export function matchingRule({ rules }: AuditPolicy, attributes: Attributes): AuditRule | undefined {
  const rule = rules.find((each) => matches(each, attributes));
  return rule === undefined || rule.level === "None" ? undefined : rule;
}

function matches(rule: AuditRule, { user, verb, resource, path }: Attributes): boolean {
  const { users, userGroups, verbs, namespaces, resources, nonResourceURLs } = rule;
  if (users.length > 0 && !users.includes(user.name)) return false;
  if (userGroups.length > 0 && !user.groups.some((group) => userGroups.includes(group))) return false;
  if (verbs.length > 0 && !verbs.includes(verb)) return false;
  if (namespaces.length > 0 || resources.length > 0) {
    if (resource === undefined) return false;
    if (namespaces.length > 0 && !namespaces.includes(resource.namespace)) return false;
    return resources.length === 0 || resources.some((each) => isAbout(each, resource));
  }
  if (nonResourceURLs.length > 0)
    return resource === undefined && nonResourceURLs.some((url) => isPath(path, url));
  return true;
}

function isAbout(each: AuditResources, resource: NonNullable<Attributes["resource"]>): boolean {
  const { plural, subresource, group, name } = resource;
  if (each.group !== group && each.group !== "*") return false;
  if (each.resources.length === 0) return true;
  if (each.resourceNames.length > 0 && !each.resourceNames.includes(name)) return false;
  const whole = subresource === "" ? plural : `${plural}/${subresource}`;
  return each.resources.some(
    (wanted) =>
      wanted === whole ||
      wanted === "*" ||
      (subresource !== "" && wanted === `*/${subresource}`) ||
      wanted === `${plural}/*`,
  );
}

function isPath(path: string, url: string): boolean {
  return url === "*" || url === path || (url.endsWith("*") && path.startsWith(url.slice(0, -1)));
}
