import { ReplicationController } from "@kedge/machinery/kinds/core/v1";
import { age } from "../../tables/age.ts";
import { ageColumn, column, containerColumns, nameColumn, selectorColumn } from "../../tables/columns.ts";
import { printerOf } from "../../tables/printer.ts";
import { containerCells, labelsCell } from "../../tables/text-cells.ts";

/** `kubectl get replicationcontrollers`. */
export const replicationControllerPrinter = printerOf(
  ReplicationController,
  [
    nameColumn,
    column("Desired", "How many pods are wanted.", { type: "integer" }),
    column("Current", "How many pods there are.", { type: "integer" }),
    column("Ready", "How many pods are ready.", { type: "integer" }),
    ageColumn,
    ...containerColumns,
    selectorColumn,
  ],
  ({ metadata, spec, status }, now) => [
    metadata?.name,
    spec?.replicas ?? 0,
    status?.replicas ?? 0,
    status?.readyReplicas ?? 0,
    age(metadata?.creationTimestamp, now),
    ...containerCells(spec?.template?.spec?.containers),
    labelsCell(spec?.selector),
  ],
);
