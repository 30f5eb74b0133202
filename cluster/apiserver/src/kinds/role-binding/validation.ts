import {
  deepEqual,
  fieldInvalid,
  fieldNotSupported,
  fieldPath,
  fieldRequired,
  validateDns1123Subdomain,
  validatePathSegmentName,
  type FieldError,
  type FieldPath,
  type Scope,
} from "@kedge/machinery";
import { RoleBinding, type RoleRef, type Subject } from "@kedge/machinery/kinds/rbac/v1";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";
import type { StoredApiObject } from "../../registry/types.ts";
import { named, required } from "../validation/field-rules.ts";

const rbacGroup = "rbac.authorization.k8s.io";

/** All that is wrong with a binding of a scope by itself. */
export function validateBinding(object: StoredApiObject, scope: Scope): FieldError[] {
  const { roleRef = {}, subjects = [] } = decodedAs(RoleBinding, object);
  return [
    ...refErrors(roleRef, scope === "Namespaced" ? ["Role", "ClusterRole"] : ["ClusterRole"]),
    ...subjects.flatMap((subject, index) =>
      subjectErrors(subject, scope, fieldPath("subjects").index(index)),
    ),
  ];
}

/** Whom a binding is of may change, what it gives may not. */
export function validateBindingUpdate(object: StoredApiObject, previous: StoredApiObject): FieldError[] {
  const { roleRef } = decodedAs(RoleBinding, object);
  if (deepEqual(roleRef, decodedAs(RoleBinding, previous).roleRef)) return [];
  const { apiGroup = "", kind = "", name = "" } = roleRef ?? {};
  const value = { APIGroup: apiGroup, Kind: kind, Name: name };
  return [fieldInvalid("roleRef", value, "cannot change roleRef")];
}

function refErrors(
  { apiGroup = "", kind = "", name = "" }: Decoded<RoleRef>,
  kinds: readonly string[],
): FieldError[] {
  const path = fieldPath("roleRef");
  return [
    ...(apiGroup === rbacGroup ? [] : [fieldNotSupported(path.child("apiGroup"), apiGroup, [rbacGroup])]),
    ...(kinds.includes(kind) ? [] : [fieldNotSupported(path.child("kind"), kind, kinds)]),
    ...(name === ""
      ? [fieldRequired(path.child("name"))]
      : named(name, validatePathSegmentName, path.child("name"))),
  ];
}

function subjectErrors(
  { apiGroup = "", kind = "", name = "", namespace = "" }: Decoded<Subject>,
  scope: Scope,
  path: FieldPath,
): FieldError[] {
  const errors = required(name, path.child("name"));
  const group = (wanted: string): FieldError[] =>
    apiGroup === wanted ? [] : [fieldNotSupported(path.child("apiGroup"), apiGroup, [wanted])];
  switch (kind) {
    case "User":
    case "Group":
      return [...errors, ...group(rbacGroup)];
    case "ServiceAccount":
      return [
        ...errors,
        ...(name === "" ? [] : named(name, validateDns1123Subdomain, path.child("name"))),
        ...group(""),
        ...(scope === "Cluster" && namespace === "" ? [fieldRequired(path.child("namespace"))] : []),
      ];
    default:
      return [...errors, fieldNotSupported(path.child("kind"), kind, ["ServiceAccount", "User", "Group"])];
  }
}
