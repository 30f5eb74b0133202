import { parseTime, type DeepReadonly, type Schedule } from "@kedge/machinery";
import type { CronJob } from "@kedge/machinery/kinds/batch/v1";

type AnyCronJob = DeepReadonly<CronJob>;

/** Which times of a schedule have passed since the last run. */
export interface MissedRuns {
  /** The last of them; absent when none has passed. */
  readonly last?: number;
  /** What was looked at: from the last run, or the beginning. */
  readonly since: number;
  readonly count: "none" | "few" | "many";
}

/** So many missed runs are a sign that something is wrong. */
const many = 100;

/** A schedule that never comes, such as the 31st of February. */
export class EmptyScheduleError extends Error {
  override readonly name = "EmptyScheduleError";
}

/**
 * The last time before now at which a job should have been made. Bounded: after a long while it is computed from the
 * distance of two times, not by going through all of them. `within`: only what can still be made up for.
 */
export function missedRuns(
  { metadata, spec, status }: AnyCronJob,
  schedule: Schedule,
  { now, within }: { readonly now: number; readonly within: boolean },
): MissedRuns {
  const begin = parseTime(status?.lastScheduleTime ?? metadata.creationTimestamp);
  const deadline = within ? spec.startingDeadlineSeconds : undefined;
  const since = deadline === undefined ? begin : Math.max(begin, now - deadline * 1000);
  const first = schedule.next(since);
  if (first === undefined) {
    throw new EmptyScheduleError("time difference between two schedules is less than 1 second");
  }
  if (now < first) return { since, count: "none" };
  const second = schedule.next(first);
  if (second === undefined || now < second) return { since, last: first, count: "none" };
  const step = Math.round((second - first) / 1000) * 1000;
  const missed = Math.floor(Math.floor((now - first) / 1000) / (step / 1000)) + 1;
  const count = missed > many ? "many" : "few";
  let last: number | undefined;
  let time = schedule.next(first + (missed - 2) * step);
  while (time !== undefined && time <= now) {
    last = time;
    time = schedule.next(time);
  }
  return last === undefined ? { since, count } : { since, last, count };
}

/** Clocks of different machines differ a little: who looks a moment too early would have to look again. */
const margin = 100;

/** Milliseconds until the next run; undefined when there is none within years. */
export function untilNextRun(cronJob: AnyCronJob, schedule: Schedule, now: number): number | undefined {
  const next = schedule.next(lastRunBefore(cronJob, schedule, now));
  return next === undefined ? undefined : Math.max(0, next + margin - now);
}

function lastRunBefore(cronJob: AnyCronJob, schedule: Schedule, now: number): number {
  try {
    const { last, since, count } = missedRuns(cronJob, schedule, { now, within: false });
    return last ?? (count === "none" ? since : now);
  } catch (error) {
    if (error instanceof EmptyScheduleError) return now;
    throw error;
  }
}
