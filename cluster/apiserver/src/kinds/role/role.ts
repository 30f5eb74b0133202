import { validatePathSegmentName } from "@kedge/machinery";
import { ClusterRole, Role } from "@kedge/machinery/kinds/rbac/v1";
import type { KindDefinition } from "../kind-definition.ts";
import { validateClusterRole, validateRole } from "./validation.ts";

/** Roles: what may be done in one namespace. */
export function roleDefinition(): KindDefinition {
  return { kind: Role, strategy: { ...strategy, validate: (object) => validateRole(object) } };
}

/** ClusterRoles: what may be done everywhere, or wherever a RoleBinding says. */
export function clusterRoleDefinition(): KindDefinition {
  return { kind: ClusterRole, strategy: { ...strategy, validate: (object) => validateClusterRole(object) } };
}

const strategy = { generation: "none", createOnUpdate: true, nameRule: validatePathSegmentName } as const;
