import { CronJob } from "@kedge/machinery/kinds/batch/v1";
import { age } from "../../tables/age.ts";
import { ageColumn, column, containerColumns, nameColumn, selectorColumn } from "../../tables/columns.ts";
import { printerOf } from "../../tables/printer.ts";
import { containerCells, selectorCell } from "../../tables/text-cells.ts";

/** `kubectl get cronjobs`. */
export const cronJobPrinter = printerOf(
  CronJob,
  [
    nameColumn,
    column("Schedule", "When jobs are made."),
    column("Timezone", "Where that time is."),
    column("Suspend", "Whether no jobs are made for now.", { type: "boolean" }),
    column("Active", "How many jobs run.", { type: "integer" }),
    column("Last Schedule", "How long ago a job was made."),
    ageColumn,
    ...containerColumns,
    selectorColumn,
  ],
  ({ metadata, spec, status }, now) => [
    metadata?.name,
    spec?.schedule ?? "",
    spec?.timeZone ?? "<none>",
    spec?.suspend === undefined ? "<unset>" : spec.suspend ? "True" : "False",
    (status?.active ?? []).length,
    status?.lastScheduleTime === undefined ? "<none>" : age(status.lastScheduleTime, now),
    age(metadata?.creationTimestamp, now),
    ...containerCells(spec?.jobTemplate?.spec?.template?.spec?.containers),
    selectorCell(spec?.jobTemplate?.spec?.selector, "<none>"),
  ],
);
