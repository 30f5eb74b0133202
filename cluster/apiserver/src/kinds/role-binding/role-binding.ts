import { validatePathSegmentName } from "@kedge/machinery";
import { ClusterRoleBinding, RoleBinding } from "@kedge/machinery/kinds/rbac/v1";
import type { KindDefinition } from "../kind-definition.ts";
import { clusterRoleBindingPrinter, roleBindingPrinter } from "./printer.ts";
import { validateBinding, validateBindingUpdate } from "./validation.ts";

/** RoleBindings: who has a Role, or a ClusterRole, in one namespace. */
export function roleBindingDefinition(): KindDefinition {
  return {
    kind: RoleBinding,
    printer: roleBindingPrinter,
    strategy: { ...strategy, validate: (object) => validateBinding(object, "Namespaced") },
  };
}

/** ClusterRoleBindings: who has a ClusterRole everywhere. */
export function clusterRoleBindingDefinition(): KindDefinition {
  return {
    kind: ClusterRoleBinding,
    printer: clusterRoleBindingPrinter,
    strategy: { ...strategy, validate: (object) => validateBinding(object, "Cluster") },
  };
}

const strategy = {
  generation: "none",
  createOnUpdate: true,
  nameRule: validatePathSegmentName,
  validateUpdate: validateBindingUpdate,
} as const;
