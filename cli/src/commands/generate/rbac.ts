import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { withTypeMeta, type GroupVersionKind } from "@kedge/machinery";
import { ServiceAccount } from "@kedge/machinery/kinds/core/v1";
import { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from "@kedge/machinery/kinds/rbac/v1";
import { rbacObjects } from "@kedge/runtime";
import { stringify } from "yaml";
import { operatorAccount, operatorRules } from "../../cluster/operator-rights.ts";
import type { KedgeContext } from "../../context.ts";
import type { GenerateFlags } from "./run.ts";

/** Writes the service account of the operators, its roles and bindings. */
export async function generateRbac(context: KedgeContext, flags: GenerateFlags): Promise<void> {
  const folder = flags.dir ?? join(context.root, "config/rbac");
  await mkdir(folder, { recursive: true });
  for (const [name, text] of rbacFiles()) {
    const path = join(folder, name);
    await writeFile(path, text);
    context.process.stdout.write(`${path}\n`);
  }
}

/** The files of `config/rbac`, by the names that kubebuilder gives them. */
export function rbacFiles(): ReadonlyMap<string, string> {
  const objects = rbacObjects(operatorRules(), operatorAccount);
  return new Map([
    ["service_account.yaml", yamlOf(ServiceAccount, objects.serviceAccount)],
    ["role.yaml", yamlOf(ClusterRole, objects.clusterRole)],
    ["role_binding.yaml", yamlOf(ClusterRoleBinding, objects.clusterRoleBinding)],
    ["leader_election_role.yaml", yamlOf(Role, objects.electionRole)],
    ["leader_election_role_binding.yaml", yamlOf(RoleBinding, objects.electionRoleBinding)],
  ]);
}

function yamlOf(kind: GroupVersionKind, { metadata, ...rest }: { readonly metadata: object }): string {
  const { apiVersion, kind: name } = withTypeMeta(kind, {});
  return stringify({ apiVersion, kind: name, metadata, ...rest }, { aliasDuplicateObjects: false });
}
