import type { GroupVersionKind } from "@kedge/machinery";
import { Namespace } from "@kedge/machinery/kinds/core/v1";
import type { RuleWithOperations } from "@kedge/machinery/kinds/admissionregistration/v1";
import type { Decoded } from "../../registry/decoded.ts";
import type { Registry, Resource, StoredApiObject } from "../../registry/types.ts";
import type { AdmissionRequest } from "../types.ts";

/** A request, or what it would be in another version of its resource. */
export interface Asked {
  readonly resource: Resource;
  /** Of the object, in that version. */
  readonly kind: GroupVersionKind;
}

/** Whether a rule is about a request to a resource: that of the request, or one that shows the same objects. */
export function ruleMatches(
  rule: Decoded<RuleWithOperations>,
  request: AdmissionRequest<StoredApiObject>,
  resource: Resource,
): boolean {
  return (
    (rule.operations?.includes(request.operation) === true || rule.operations?.includes("*") === true) &&
    contains(rule.apiGroups, resource.group) &&
    contains(rule.apiVersions, resource.version) &&
    resourceMatches(rule.resources, resource.plural, request.subresource) &&
    scopeMatches(rule.scope, request)
  );
}

function contains(items: readonly string[] | undefined, wanted: string): boolean {
  return items?.some((item) => item === "*" || item === wanted) === true;
}

/** `pods/status`: both halves may be `*`, and a rule without a second half is not about parts. */
function resourceMatches(
  resources: readonly string[] | undefined,
  plural: string,
  subresource: string,
): boolean {
  return (
    resources?.some((text) => {
      const slash = text.indexOf("/");
      const [resource, part] = slash < 0 ? [text, ""] : [text.slice(0, slash), text.slice(slash + 1)];
      return (resource === "*" || resource === plural) && (part === "*" || part === subresource);
    }) === true
  );
}

/** Namespaces themselves are of the cluster. */
function scopeMatches(scope: string | undefined, request: AdmissionRequest<StoredApiObject>): boolean {
  if (scope === undefined || scope === "*") return true;
  const isNamespaced = request.namespace !== "" && !isOfNamespaces(request);
  return scope === "Namespaced" ? isNamespaced : scope === "Cluster" && !isNamespaced;
}

/** Whether a request is about namespaces. */
export function isOfNamespaces({ resource }: AdmissionRequest<StoredApiObject>): boolean {
  return resource.group === Namespace.group && resource.plural === Namespace.plural;
}

/** The namespace as admission tells of it: a namespace is in itself. */
export function namespaceOf(request: AdmissionRequest<StoredApiObject>): string {
  return isOfNamespaces(request) ? request.name : request.namespace;
}

/** The request as the first rule wants it: as it is, or in another version of the same objects. */
export function askedAs<R extends Decoded<RuleWithOperations>>(
  rules: readonly R[],
  request: AdmissionRequest<StoredApiObject>,
  {
    equivalent,
    registry,
    isFor = () => true,
  }: {
    readonly equivalent: boolean;
    readonly registry: Registry;
    readonly isFor?: (rule: R) => boolean;
  },
): Asked | undefined {
  const { resource, kind } = request;
  if (rules.some((rule) => ruleMatches(rule, request, resource) && isFor(rule))) return { resource, kind };
  if (!equivalent) return undefined;
  for (const rule of rules) {
    const other = equivalentsOf(resource, registry).find((each) => ruleMatches(rule, request, each));
    if (other === undefined || !isFor(rule)) continue;
    const isOwn = kind.kind === resource.kind && kind.group === resource.group;
    const { group, version } = other;
    return { resource: other, kind: isOwn ? { group, version, kind: other.kind } : kind };
  }
  return undefined;
}

/** Other versions of the same objects. Found once, until resources come or go. */
function equivalentsOf(resource: Resource, registry: Registry): readonly Resource[] {
  const known = equivalents.get(resource);
  const { generation } = registry;
  if (known?.generation === generation) return known.others;
  const others = registry.all().filter((each) => each.storage === resource.storage && each !== resource);
  equivalents.set(resource, { generation, others });
  return others;
}

const equivalents = new WeakMap<
  Resource,
  { readonly generation: number; readonly others: readonly Resource[] }
>();
