import { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import { age } from "../../tables/age.ts";
import { ageColumn, column, containerColumns, nameColumn } from "../../tables/columns.ts";
import { printerOf } from "../../tables/printer.ts";
import { containerCells } from "../../tables/text-cells.ts";

/** `kubectl get statefulsets`. */
export const statefulSetPrinter = printerOf(
  StatefulSet,
  [nameColumn, column("Ready", "How many of the wanted pods are ready."), ageColumn, ...containerColumns],
  ({ metadata, spec, status }, now) => [
    metadata?.name,
    `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`,
    age(metadata?.creationTimestamp, now),
    ...containerCells(spec?.template?.spec?.containers),
  ],
);
