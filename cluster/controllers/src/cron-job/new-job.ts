import {
  clone,
  controllerReference,
  timeZone,
  utc,
  withTypeMeta,
  type DeepReadonly,
  type Draft,
} from "@kedge/machinery";
import { CronJob, type Job } from "@kedge/machinery/kinds/batch/v1";

/** When a job was due, in the time of its CronJob's zone. */
const scheduledAt = "batch.kubernetes.io/cronjob-scheduled-timestamp";

/** The same minute is the same name: no run is made twice. */
export function jobName(cronJob: string, time: number): string {
  return `${cronJob}-${Math.floor(time / 60_000)}`;
}

/** The job of a CronJob for a time. */
export function jobOfCronJob(
  cronJob: DeepReadonly<CronJob>,
  time: number,
): Draft<Job> & { metadata: { name: string; namespace: string } } {
  const { metadata, spec } = cronJob;
  const { metadata: template, spec: jobSpec } = clone(spec.jobTemplate);
  return {
    metadata: {
      name: jobName(metadata.name, time),
      namespace: metadata.namespace,
      ...(template?.labels === undefined ? {} : { labels: template.labels }),
      annotations: { ...template?.annotations, [scheduledAt]: localTime(time, spec.timeZone) },
      ownerReferences: [controllerReference(withTypeMeta(CronJob, cronJob))],
    },
    spec: jobSpec ?? { template: {} },
  };
}

/** `2026-03-29T03:00:00+02:00`, or with `Z`. */
function localTime(time: number, zoneName = ""): string {
  const offset = (timeZone(zoneName) ?? utc).offsetAt(time);
  const wall = new Date(time + offset).toISOString().slice(0, 19);
  if (offset === 0) return `${wall}Z`;
  const minutes = Math.abs(offset) / 60_000;
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, "0"));
  return `${wall}${offset < 0 ? "-" : "+"}${hours}:${rest}`;
}
