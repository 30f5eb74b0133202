import { deepEqual, forbidden, goQuote, notFound } from "@kedge/machinery";
import {
  ClusterRole,
  ClusterRoleBinding,
  Role,
  RoleBinding,
  type RoleRef,
} from "@kedge/machinery/kinds/rbac/v1";
import { isAbout } from "./request.ts";
import type { AdmissionPlugin, AdmissionRequest } from "./types.ts";
import { decodedAs, type Decoded } from "../registry/decoded.ts";
import type { ApiObject, StoredApiObject, User } from "../registry/types.ts";
import type { Authorizer } from "../auth/types.ts";
import { list, rightsText, uncovered } from "../auth/rbac/covers.ts";
import type { Rbac } from "../auth/rbac/rbac.ts";
import type { Rule } from "../auth/rbac/rule.ts";

/**
 * Nobody gives away more than they have: who writes a role needs all that it allows, or the verb `escalate`; who writes
 * a binding needs all that its role allows, or the verb `bind`.
 */
export function noEscalation(rbac: Rbac, authorizer: Authorizer): AdmissionPlugin {
  return {
    // Not one of Kubernetes' plug-ins: there the storage of these kinds does it, at this very moment of a write.
    name: "RBACEscalation",
    operations: ["CREATE", "UPDATE"],
    admit: (request) => {
      const { object, oldObject, resource, user } = request;
      if (object === undefined || resource.group !== Role.group || user.groups.includes("system:masters"))
        return;
      if (oldObject !== undefined && changesOwnersOnly(object, oldObject)) return;
      const check = { rbac, authorizer, request };
      if (isAbout(request, Role) || isAbout(request, ClusterRole)) checkRole(check, object);
      else if (isAbout(request, RoleBinding) || isAbout(request, ClusterRoleBinding))
        checkBinding(check, object);
    },
  };
}

interface Check {
  readonly rbac: Rbac;
  readonly authorizer: Authorizer;
  readonly request: AdmissionRequest;
}

function checkRole({ rbac, authorizer, request }: Check, object: ApiObject): void {
  const { resource, namespace, name, operation, user } = request;
  const { group, plural } = resource;
  const asked = operation === "CREATE" ? "" : name;
  const role = { group, version: "*", plural, subresource: "", namespace, name: asked };
  const { allowed } = authorizer({ user, verb: "escalate", path: "", resource: role });
  if (allowed) return;
  const { rules, aggregationRule } = decodedAs(ClusterRole, object);
  // What has no verbs is refused a moment later, by validation.
  const valid = (rules ?? []).filter(({ verbs }) => (verbs ?? []).length > 0);
  confirm({ rbac, authorizer, request }, object, valid);
  const { oldObject } = request;
  const previous = oldObject === undefined ? undefined : decodedAs(ClusterRole, oldObject).aggregationRule;
  if (!isSet(aggregationRule) && !isSet(previous)) return;
  const missing = uncovered(rbac.rulesFor(user, namespace).rules, fullAuthority);
  if (missing?.length === 0) return;
  throw forbidden(
    resource,
    object.metadata.name ?? "",
    "must have cluster-admin privileges to use the aggregationRule",
  );
}

const fullAuthority: readonly Rule[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] },
];

function isSet(rule: Decoded<ClusterRole>["aggregationRule"]): boolean {
  return (rule?.clusterRoleSelectors ?? []).length > 0;
}

function checkBinding(check: Check, object: ApiObject): void {
  const { rbac, authorizer, request } = check;
  const { namespace, user, resource } = request;
  const { roleRef = {} } = decodedAs(RoleBinding, object);
  if (mayBind(authorizer, user, { ref: roleRef, namespace })) return;
  const rules = rbac.rulesOf(roleRef, namespace);
  if (rules === undefined) throw notFound(resource, roleRef.name ?? "");
  confirm(check, object, rules);
}

function mayBind(
  authorizer: Authorizer,
  user: User,
  { ref, namespace }: { readonly ref: Decoded<RoleRef>; readonly namespace: string },
): boolean {
  const plural = ref.kind === "Role" ? "roles" : ref.kind === "ClusterRole" ? "clusterroles" : undefined;
  if (plural === undefined) return false;
  const { apiGroup: group = "", name = "" } = ref;
  const resource = { group, version: "*", plural, subresource: "", namespace, name };
  return authorizer({ user, verb: "bind", path: "", resource }).allowed;
}

function confirm({ rbac, request }: Check, object: StoredApiObject, wanted: readonly Rule[]): void {
  const { user, namespace, resource } = request;
  const { rules, error } = rbac.rulesFor(user, namespace);
  const missing = uncovered(rules, wanted);
  if (missing?.length === 0) return;
  const who = `user ${goQuote(user.name)} (groups=${list(user.groups)})`;
  const why =
    missing === undefined
      ? `${who} is attempting to grant more RBAC permissions than can be compared with those currently held: use fewer groups, resources, names and verbs, or let somebody do it who has the verb escalate or bind`
      : `${who} is attempting to grant RBAC permissions not currently held:\n${rightsText(missing)}` +
        (error === undefined ? "" : `; resolution errors: [${error}]`);
  throw forbidden(resource, object.metadata.name ?? "", why);
}

/** Whether an update changes nothing but what the garbage collector needs to change. */
function changesOwnersOnly(object: ApiObject, previous: StoredApiObject): boolean {
  const { ownerReferences, finalizers, managedFields } = previous.metadata;
  const metadata = { ...object.metadata, ownerReferences, finalizers, managedFields };
  return deepEqual({ ...object, metadata }, previous);
}
