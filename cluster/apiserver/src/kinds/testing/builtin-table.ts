import type { TableDefinition } from "../../registry/table-definition.ts";
import { nameAndCreation } from "../../tables/index.ts";
import { builtinResources } from "../builtin-resources.ts";
import { cronJobPrinter } from "../cron-job/printer.ts";
import { daemonSetPrinter } from "../daemon-set/printer.ts";
import { newEventPrinter } from "../event/printer.ts";
import { jobPrinter } from "../job/printer.ts";
import { clusterRoleBindingPrinter, roleBindingPrinter } from "../role-binding/printer.ts";

/** How objects of a built-in kind are shown, of those too that are not served yet. */
export function builtinTable(group: string, kind: string): TableDefinition {
  return tables.get(`${group}/${kind}`) ?? nameAndCreation;
}

const notServed = [
  clusterRoleBindingPrinter,
  cronJobPrinter,
  daemonSetPrinter,
  jobPrinter,
  newEventPrinter,
  roleBindingPrinter,
];

const tables: ReadonlyMap<string, TableDefinition> = new Map([
  ...builtinResources({ serviceRange: "10.96.0.0/24" }).map(
    ({ group, kind, table }) => [`${group}/${kind}`, table] as const,
  ),
  ...notServed.map(({ key, table }) => [key, table] as const),
]);
