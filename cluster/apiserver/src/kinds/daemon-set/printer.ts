import { DaemonSet } from "@kedge/machinery/kinds/apps/v1";
import { age } from "../../tables/age.ts";
import { ageColumn, column, containerColumns, nameColumn, selectorColumn } from "../../tables/columns.ts";
import { printerOf } from "../../tables/printer.ts";
import { containerCells, labelsCell, selectorCell } from "../../tables/text-cells.ts";

/** `kubectl get daemonsets`. */
export const daemonSetPrinter = printerOf(
  DaemonSet,
  [
    nameColumn,
    column("Desired", "How many nodes should have a pod.", { type: "integer" }),
    column("Current", "How many of them have one.", { type: "integer" }),
    column("Ready", "How many of them have a pod that is ready.", { type: "integer" }),
    column("Up-to-date", "How many of them have a pod of the current template.", { type: "integer" }),
    column("Available", "How many of them have a pod that has been ready for long enough.", {
      type: "integer",
    }),
    column("Node Selector", "Which nodes get a pod."),
    ageColumn,
    ...containerColumns,
    selectorColumn,
  ],
  ({ metadata, spec, status }, now) => [
    metadata?.name,
    status?.desiredNumberScheduled ?? 0,
    status?.currentNumberScheduled ?? 0,
    status?.numberReady ?? 0,
    status?.updatedNumberScheduled ?? 0,
    status?.numberAvailable ?? 0,
    labelsCell(spec?.template?.spec?.nodeSelector),
    age(metadata?.creationTimestamp, now),
    ...containerCells(spec?.template?.spec?.containers),
    selectorCell(spec?.selector, "<none>"),
  ],
);
