import { parseTime } from "@kedge/machinery";
import { Job } from "@kedge/machinery/kinds/batch/v1";
import type { Decoded } from "../../registry/decoded.ts";
import { age } from "../../tables/age.ts";
import { ageColumn, column, containerColumns, nameColumn, selectorColumn } from "../../tables/columns.ts";
import { humanDuration } from "../../tables/human-duration.ts";
import { printerOf } from "../../tables/printer.ts";
import { containerCells, selectorCell } from "../../tables/text-cells.ts";

/** `kubectl get jobs`. */
export const jobPrinter = printerOf(
  Job,
  [
    nameColumn,
    column("Status", "Whether the job runs, has succeeded or has failed."),
    column("Completions", "How many pods have succeeded, of how many."),
    column("Duration", "How long the job has run, or ran."),
    ageColumn,
    ...containerColumns,
    selectorColumn,
  ],
  (job, now) => [
    job.metadata?.name,
    statusCell(job),
    completionsCell(job),
    durationCell(job, now),
    age(job.metadata?.creationTimestamp, now),
    ...containerCells(job.spec?.template?.spec?.containers),
    selectorCell(job.spec?.selector, "<none>"),
  ],
);

type SentJob = Decoded<Job>;

function statusCell(job: SentJob): string {
  const is = (type: string) => job.status?.conditions?.find((each) => each.type === type)?.status === "True";
  if (is("Complete")) return "Complete";
  if (is("Failed")) return "Failed";
  if (job.metadata?.deletionTimestamp !== undefined) return "Terminating";
  return ["Suspended", "FailureTarget", "SuccessCriteriaMet"].find(is) ?? "Running";
}

function completionsCell({ spec, status }: SentJob): string {
  const done = status?.succeeded ?? 0;
  if (spec?.completions !== undefined) return `${done}/${spec.completions}`;
  const parallelism = spec?.parallelism ?? 0;
  return parallelism > 1 ? `${done}/1 of ${parallelism}` : `${done}/1`;
}

function durationCell({ status }: SentJob, now: number): string {
  if (status?.startTime === undefined) return "";
  const end = status.completionTime === undefined ? now : parseTime(status.completionTime);
  return humanDuration(end - parseTime(status.startTime));
}
