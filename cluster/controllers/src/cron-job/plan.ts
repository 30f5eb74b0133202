import {
  formatTime,
  goQuote,
  parseSchedule,
  parseTime,
  ScheduleError,
  timeZone,
  withTypeMeta,
  type DeepReadonly,
  type Schedule,
} from "@kedge/machinery";
import { Job, type CronJob, type CronJobStatus } from "@kedge/machinery/kinds/batch/v1";
import type { ObjectReference } from "@kedge/machinery/kinds/core/v1";
import type { EventNote } from "@kedge/runtime";
import { finalConditionOf } from "../job/ending.ts";
import { EmptyScheduleError, missedRuns, untilNextRun } from "./missed.ts";
import { jobName } from "./new-job.ts";

type AnyCronJob = DeepReadonly<CronJob>;
type AnyJob = DeepReadonly<Job>;

/** What a CronJob is planned from. */
export interface CronJobView {
  readonly cronJob: AnyCronJob;
  /** All that it controls. */
  readonly jobs: readonly AnyJob[];
  /** Names of active jobs that the server does not have any more. */
  readonly gone: ReadonlySet<string>;
  /** Its schedule has just been changed: what the new one would have asked for before is not made up for. */
  readonly isRescheduled?: boolean;
  readonly now: number;
}

/** What is done for a CronJob. */
export interface CronJobPlan {
  /** Finished jobs that are too old to keep. */
  readonly forget: readonly AnyJob[];
  /** Jobs that run and must end before the next begins. */
  readonly replace: readonly DeepReadonly<ObjectReference>[];
  /** When the job that is made now was due. */
  readonly run?: number;
  /** The status, but for what is made and deleted now. */
  readonly status: CronJobStatus;
  readonly events: readonly EventNote[];
  readonly lookAgainAfter?: number;
}

/** What is due, what is over, and when to look again. */
export function planCronJob(view: CronJobView): CronJobPlan {
  const { cronJob, now } = view;
  const forget = jobsToForget(view);
  const observed = observe(view, new Set(forget.map(({ metadata }) => metadata.uid)));
  const idle = { forget, replace: [], ...observed };
  if (cronJob.metadata.deletionTimestamp !== undefined) return idle;
  const read = scheduleOf(cronJob);
  const zoneFault = read.fault?.reason === "UnknownTimeZone" ? [read.fault] : [];
  if (zoneFault.length > 0) return { ...idle, events: [...observed.events, ...zoneFault] };
  if (cronJob.spec.suspend === true) return idle;
  const events = [...observed.events, ...read.warnings];
  const { schedule } = read;
  if (schedule === undefined) return { ...idle, events: [...events, ...(read.fault ? [read.fault] : [])] };
  const known = { ...cronJob, status: observed.status };
  const due = view.isRescheduled === true ? { events: [] } : dueRun(known, schedule, now);
  if ("fault" in due) return { ...idle, events: [...events, due.fault] };
  const wait = untilNextRun(known, schedule, now);
  const waiting = {
    ...idle,
    events: [...events, ...due.events],
    ...(wait === undefined ? {} : { lookAgainAfter: wait }),
  };
  if (due.time === undefined) return waiting;
  const decided = decide(known, due.time, now);
  if (decided !== "run") return { ...waiting, events: [...waiting.events, ...decided] };
  const replace = cronJob.spec.concurrencyPolicy === "Replace" ? (observed.status.active ?? []) : [];
  return { ...waiting, replace, run: due.time };
}

/** The oldest finished jobs, beyond as many as are kept. */
function jobsToForget({ cronJob: { spec }, jobs }: CronJobView): readonly AnyJob[] {
  const beyond = (type: string, limit: number | undefined): readonly AnyJob[] => {
    const ended = jobs
      .filter(({ status }) => finalConditionOf(status?.conditions)?.type === type)
      .toSorted(byStart);
    return limit === undefined ? [] : ended.slice(0, Math.max(0, ended.length - limit));
  };
  return [
    ...beyond("Complete", spec.successfulJobsHistoryLimit),
    ...beyond("Failed", spec.failedJobsHistoryLimit),
  ];
}

function byStart(one: AnyJob, other: AnyJob): number {
  const [a, b] = [one, other].map(({ status }) =>
    status?.startTime === undefined ? Infinity : parseTime(status.startTime),
  );
  if (a !== b) return (a ?? 0) < (b ?? 0) ? -1 : 1;
  return one.metadata.name < other.metadata.name ? -1 : 1;
}

/** Which jobs still run, and which was the last to succeed. */
function observe({ cronJob, jobs, gone }: CronJobView, forgotten: ReadonlySet<string>) {
  const events: EventNote[] = [];
  let active = (cronJob.status?.active ?? []).filter(({ uid }) => !forgotten.has(uid ?? ""));
  let { lastSuccessfulTime } = cronJob.status ?? {};
  for (const { metadata, status } of jobs) {
    const isActive = active.some(({ uid }) => uid === metadata.uid);
    const final = finalConditionOf(status?.conditions);
    if (final === undefined && !isActive) {
      const message = `Saw a job that the controller did not create or forgot: ${metadata.name}`;
      events.push({ type: "Warning", reason: "UnexpectedJob", message });
    }
    if (final !== undefined && isActive) {
      active = active.filter(({ uid }) => uid !== metadata.uid);
      const message = `Saw completed job: ${metadata.name}, condition: ${final.type}`;
      events.push({ reason: "SawCompletedJob", message });
    }
    const ended = status?.completionTime;
    if (final?.type !== "Complete" || ended === undefined) continue;
    const isLater = lastSuccessfulTime === undefined || parseTime(ended) > parseTime(lastSuccessfulTime);
    if (isLater) lastSuccessfulTime = ended;
  }
  for (const { name = "" } of active.filter((job) => gone.has(job.name ?? ""))) {
    events.push({ reason: "MissingJob", message: `Active job went missing: ${name}` });
  }
  active = active.filter(({ name = "" }) => !gone.has(name));
  const { active: _active, lastSuccessfulTime: _last, ...rest } = cronJob.status ?? {};
  const status: CronJobStatus = {
    ...rest,
    ...(active.length > 0 && { active: active.map((job) => ({ ...job })) }),
    ...(lastSuccessfulTime !== undefined && { lastSuccessfulTime }),
  };
  return { status, events };
}

interface ReadSchedule {
  readonly schedule?: Schedule;
  readonly fault?: EventNote;
  readonly warnings: readonly EventNote[];
}

function scheduleOf({ spec }: AnyCronJob): ReadSchedule {
  const { schedule: text, timeZone: name } = spec;
  const zone = timeZone(name ?? "");
  if (zone === undefined) {
    const message = `invalid timeZone: ${goQuote(name ?? "")}: unknown time zone ${name ?? ""}`;
    return { warnings: [], fault: { type: "Warning", reason: "UnknownTimeZone", message } };
  }
  const warnings: EventNote[] = text.includes("TZ")
    ? [
        {
          type: "Warning",
          reason: "UnsupportedSchedule",
          message: `CRON_TZ or TZ used in schedule ${goQuote(text)} is not officially supported, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details`,
        },
      ]
    : [];
  try {
    return { schedule: parseSchedule(text, zone), warnings };
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error;
    const message = `unparseable schedule: ${goQuote(text)} : ${error.message}`;
    return { warnings, fault: { type: "Warning", reason: "UnparseableSchedule", message } };
  }
}

function dueRun(
  cronJob: AnyCronJob,
  schedule: Schedule,
  now: number,
): { readonly time?: number; readonly events: readonly EventNote[] } | { readonly fault: EventNote } {
  try {
    const { last, count } = missedRuns(cronJob, schedule, { now, within: true });
    if (last === undefined) return { events: [] };
    const message =
      "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew";
    const events: EventNote[] =
      count === "many" ? [{ type: "Warning", reason: "TooManyMissedTimes", message }] : [];
    return { time: last, events };
  } catch (error) {
    if (!(error instanceof EmptyScheduleError)) throw error;
    const message = `invalid schedule: ${cronJob.spec.schedule} : ${error.message}`;
    return { fault: { type: "Warning", reason: "InvalidSchedule", message } };
  }
}

/** Whether the job that is due is made; else what is told of it. */
function decide(
  { metadata, spec, status }: AnyCronJob,
  time: number,
  now: number,
): "run" | readonly EventNote[] {
  const { startingDeadlineSeconds: deadline, concurrencyPolicy } = spec;
  if (deadline !== undefined && time + deadline * 1000 < now) {
    const message = `Missed scheduled time to start a job: ${rfc1123(time)}`;
    return [{ type: "Warning", reason: "MissSchedule", message }];
  }
  const active = status?.active ?? [];
  const name = jobName(metadata.name, time);
  if (active.some((job) => job.name === name) || status?.lastScheduleTime === formatTime(time)) return [];
  if (concurrencyPolicy === "Forbid" && active.length > 0) {
    const message = "Not starting job because prior execution is running and concurrency policy is Forbid";
    return [{ reason: "JobAlreadyActive", message }];
  }
  return "run";
}

/** `Mon, 02 Jan 2006 15:04:05 +0000` */
function rfc1123(time: number): string {
  return new Date(time).toUTCString().replace("GMT", "+0000");
}

/** How the status names an active job. */
export function referenceTo(job: AnyJob): ObjectReference {
  const { apiVersion, kind, metadata } = withTypeMeta(Job, job);
  const { namespace, name, uid, resourceVersion } = metadata;
  return { apiVersion, kind, namespace, name, uid, resourceVersion };
}
