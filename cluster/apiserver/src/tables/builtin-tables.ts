import type { TableDefinition } from "../registry/types.ts";
import { column, nameColumn } from "./columns.ts";
import type { Printer } from "./printer.ts";
import { configMapPrinter } from "./printers/config-map.ts";
import { controllerRevisionPrinter } from "./printers/controller-revision.ts";
import { cronJobPrinter } from "./printers/cron-job.ts";
import { daemonSetPrinter } from "./printers/daemon-set.ts";
import { deploymentPrinter } from "./printers/deployment.ts";
import { endpointSlicePrinter } from "./printers/endpoint-slice.ts";
import { endpointsPrinter } from "./printers/endpoints.ts";
import { eventPrinter, newEventPrinter } from "./printers/event.ts";
import { horizontalPodAutoscalerPrinter } from "./printers/horizontal-pod-autoscaler.ts";
import { jobPrinter } from "./printers/job.ts";
import { leasePrinter } from "./printers/lease.ts";
import { namespacePrinter } from "./printers/namespace.ts";
import { nodePrinter } from "./printers/node.ts";
import { persistentVolumeClaimPrinter } from "./printers/persistent-volume-claim.ts";
import { persistentVolumePrinter } from "./printers/persistent-volume.ts";
import { podDisruptionBudgetPrinter } from "./printers/pod-disruption-budget.ts";
import { podPrinter } from "./printers/pod.ts";
import { priorityClassPrinter } from "./printers/priority-class.ts";
import { replicaSetPrinter } from "./printers/replica-set.ts";
import { clusterRoleBindingPrinter, roleBindingPrinter } from "./printers/role-binding.ts";
import { secretPrinter } from "./printers/secret.ts";
import { serviceAccountPrinter } from "./printers/service-account.ts";
import { servicePrinter } from "./printers/service.ts";
import { statefulSetPrinter } from "./printers/stateful-set.ts";
import { storageClassPrinter } from "./printers/storage-class.ts";

/** How objects of a built-in kind are shown, in all its versions. `group` is empty for the core group. */
export function builtinTable(group: string, kind: string): TableDefinition {
  return tables.get(`${group}/${kind}`) ?? nameAndCreation;
}

const printers: readonly Printer[] = [
  clusterRoleBindingPrinter,
  configMapPrinter,
  controllerRevisionPrinter,
  cronJobPrinter,
  daemonSetPrinter,
  deploymentPrinter,
  endpointSlicePrinter,
  endpointsPrinter,
  eventPrinter,
  horizontalPodAutoscalerPrinter,
  jobPrinter,
  leasePrinter,
  namespacePrinter,
  newEventPrinter,
  nodePrinter,
  persistentVolumeClaimPrinter,
  persistentVolumePrinter,
  podDisruptionBudgetPrinter,
  podPrinter,
  priorityClassPrinter,
  replicaSetPrinter,
  roleBindingPrinter,
  secretPrinter,
  serviceAccountPrinter,
  servicePrinter,
  statefulSetPrinter,
  storageClassPrinter,
];

const tables: ReadonlyMap<string, TableDefinition> = new Map(printers.map(({ key, table }) => [key, table]));

/** What Kubernetes shows of kinds that it has no printer for, definitions of custom kinds among them. */
const nameAndCreation: TableDefinition = {
  columns: [nameColumn, column("Created At", "When the object was created.", { type: "date" })],
  cells: ({ metadata }) => [metadata.name, metadata.creationTimestamp ?? "0001-01-01T00:00:00Z"],
};
