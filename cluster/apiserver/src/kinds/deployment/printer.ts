import { Deployment } from "@kedge/machinery/kinds/apps/v1";
import { age } from "../../tables/age.ts";
import { ageColumn, column, containerColumns, nameColumn, selectorColumn } from "../../tables/columns.ts";
import { printerOf } from "../../tables/printer.ts";
import { containerCells, selectorCell } from "../../tables/text-cells.ts";

/** `kubectl get deployments`. */
export const deploymentPrinter = printerOf(
  Deployment,
  [
    nameColumn,
    column("Ready", "How many of the wanted pods are ready."),
    column("Up-to-date", "How many pods are of the current template."),
    column("Available", "How many pods have been ready for long enough."),
    ageColumn,
    ...containerColumns,
    selectorColumn,
  ],
  ({ metadata, spec, status }, now) => [
    metadata?.name,
    `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`,
    status?.updatedReplicas ?? 0,
    status?.availableReplicas ?? 0,
    age(metadata?.creationTimestamp, now),
    ...containerCells(spec?.template?.spec?.containers),
    selectorCell(spec?.selector, ""),
  ],
);
