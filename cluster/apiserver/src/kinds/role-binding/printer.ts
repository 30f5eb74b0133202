import { ClusterRoleBinding, RoleBinding, type Subject } from "@kedge/machinery/kinds/rbac/v1";
import type { Decoded } from "../../registry/decoded.ts";
import { age } from "../../tables/age.ts";
import { ageColumn, column, nameColumn } from "../../tables/columns.ts";
import { printerOf } from "../../tables/printer.ts";

const columns = [
  nameColumn,
  column("Role", "The role that is given."),
  ageColumn,
  column("Users", "Users who get it.", { wide: true }),
  column("Groups", "Groups that get it.", { wide: true }),
  column("ServiceAccounts", "Service accounts that get it.", { wide: true }),
];

/** `kubectl get rolebindings`. */
export const roleBindingPrinter = printerOf(RoleBinding, columns, bindingCells);

/** `kubectl get clusterrolebindings`. */
export const clusterRoleBindingPrinter = printerOf(ClusterRoleBinding, columns, bindingCells);

function bindingCells(
  { metadata, roleRef, subjects }: Decoded<RoleBinding> | Decoded<ClusterRoleBinding>,
  now: number,
): readonly unknown[] {
  return [
    metadata?.name,
    `${roleRef?.kind ?? ""}/${roleRef?.name ?? ""}`,
    age(metadata?.creationTimestamp, now),
    subjectsCell(subjects, "User"),
    subjectsCell(subjects, "Group"),
    accountsCell(subjects),
  ];
}

function subjectsCell(subjects: readonly Decoded<Subject>[] | undefined, wanted: string): string {
  return (subjects ?? [])
    .filter(({ kind }) => kind === wanted)
    .map(({ name = "" }) => name)
    .join(", ");
}

function accountsCell(subjects: readonly Decoded<Subject>[] | undefined): string {
  return (subjects ?? [])
    .filter(({ kind }) => kind === "ServiceAccount")
    .map(({ name = "", namespace = "" }) => `${namespace}/${name}`)
    .join(", ");
}
