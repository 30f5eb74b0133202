import { formatTime, parseTime } from "@kedge/machinery";
import type { CronJob, Job } from "@kedge/machinery/kinds/batch/v1";
import { describe, expect, it } from "vitest";
import { stored } from "../testing/builders.ts";
import { job as anyJob } from "../testing/job-builders.ts";
import { jobOfCronJob } from "./new-job.ts";
import { planCronJob, referenceTo } from "./plan.ts";

const at = (text: string): number => Date.parse(text);
const now = at("2026-01-01T12:00:30Z");

function cronJob(spec: Partial<CronJob["spec"]> = {}, status: CronJob["status"] = {}): CronJob {
  return {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: stored("tick", { creationTimestamp: "2026-01-01T11:00:30Z" }),
    spec: {
      schedule: "*/10 * * * *",
      concurrencyPolicy: "Allow",
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
      jobTemplate: { spec: { template: { spec: { containers: [] } } } },
      ...spec,
    },
    status,
  };
}

function made(name: string, end?: "Complete" | "Failed", startedAt = "2026-01-01T11:30:00Z"): Job {
  const job = anyJob({}, { startTime: startedAt });
  const time = "2026-01-01T11:31:00Z";
  return {
    ...job,
    metadata: stored(name),
    status: {
      ...job.status,
      ...(end !== undefined && { conditions: [{ type: end, status: "True", lastTransitionTime: time }] }),
      ...(end === "Complete" && { completionTime: time }),
    },
  };
}

/** What a plan does, in a line. */
function planned(
  of: CronJob,
  jobs: readonly Job[] = [],
  more: { gone?: string[]; isRescheduled?: boolean } = {},
): string {
  const { gone = [], isRescheduled = false } = more;
  const plan = planCronJob({ cronJob: of, jobs, gone: new Set(gone), isRescheduled, now });
  const names = (list: readonly { readonly name?: string | undefined }[] | undefined): string =>
    (list ?? []).map(({ name }) => name).join(" ");
  return [
    plan.run === undefined ? "" : `run ${formatTime(plan.run).slice(11, 16)}`,
    plan.replace.length === 0 ? "" : `replace ${names(plan.replace)}`,
    plan.forget.length === 0 ? "" : `forget ${names(plan.forget.map(({ metadata }) => metadata))}`,
    (plan.status.active ?? []).length === 0 ? "" : `active ${names(plan.status.active)}`,
    ...plan.events.map(({ reason }) => reason),
    plan.lookAgainAfter === undefined ? "" : `in ${plan.lookAgainAfter / 1000} s`,
  ]
    .filter((text) => text !== "")
    .join(", ");
}

const last = (time: string, ...active: readonly Job[]): CronJob["status"] => ({
  lastScheduleTime: `2026-01-01T${time}:00Z`,
  ...(active.length > 0 && { active: active.map(referenceTo) }),
});
const running = made("tick-1");

describe("what a CronJob does", () => {
  const cases: readonly [string, string, string][] = [
    ["runs what is due", planned(cronJob({}, last("11:50"))), "run 12:00, in 570.1 s"],
    ["waits for what is not", planned(cronJob({}, last("12:00"))), "in 570.1 s"],
    ["runs the last of several that were missed", planned(cronJob()), "run 12:00, in 570.1 s"],
    [
      "tells when so many were missed that something is wrong",
      planned(cronJob({ schedule: "* * * * *" }, { lastScheduleTime: "2026-01-01T09:00:00Z" })),
      "run 12:00, TooManyMissedTimes, in 30.1 s",
    ],
    [
      "does not run what is too late to begin",
      planned(cronJob({ startingDeadlineSeconds: 20 }, last("11:50"))),
      "in 570.1 s",
    ],
    [
      "runs what is late, but not too late",
      planned(cronJob({ startingDeadlineSeconds: 40 }, last("11:50"))),
      "run 12:00, in 570.1 s",
    ],
    [
      "forgets misses beyond its deadline, so they are never too many",
      planned(
        cronJob(
          { schedule: "* * * * *", startingDeadlineSeconds: 200 },
          { lastScheduleTime: "2026-01-01T01:00:00Z" },
        ),
      ),
      "run 12:00, in 30.1 s",
    ],
    ["does nothing while it is suspended", planned(cronJob({ suspend: true })), ""],
    [
      "waits for the next time of a new schedule",
      planned(cronJob({}, last("11:50")), [], { isRescheduled: true }),
      "in 570.1 s",
    ],
    [
      "runs beside what still runs",
      planned(cronJob({}, last("11:50", running)), [running]),
      "run 12:00, active tick-1, in 570.1 s",
    ],
    [
      "does not run while another runs, where that is forbidden",
      planned(cronJob({ concurrencyPolicy: "Forbid" }, last("11:50", running)), [running]),
      "active tick-1, JobAlreadyActive, in 570.1 s",
    ],
    [
      "ends what runs before the next begins, where that is asked for",
      planned(cronJob({ concurrencyPolicy: "Replace" }, last("11:50", running)), [running]),
      "run 12:00, replace tick-1, active tick-1, in 570.1 s",
    ],
    [
      "does not run the same time twice",
      planned(
        cronJob({}, { active: [{ name: `tick-${at("2026-01-01T12:00:00Z") / 60_000}`, uid: "tick-1-uid" }] }),
        [running],
      ),
      `active tick-${at("2026-01-01T12:00:00Z") / 60_000}, in 570.1 s`,
    ],
    [
      "sees that a job has ended",
      planned(cronJob({}, last("12:00", running)), [made("tick-1", "Complete")]),
      "SawCompletedJob, in 570.1 s",
    ],
    [
      "tells of jobs that it does not know",
      planned(cronJob({}, last("12:00")), [running]),
      "UnexpectedJob, in 570.1 s",
    ],
    [
      "tells of jobs that are gone",
      planned(cronJob({}, last("12:00", running)), [], { gone: ["tick-1"] }),
      "MissingJob, in 570.1 s",
    ],
    [
      "keeps as many finished jobs as it says, the newest",
      planned(cronJob({ successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 0 }, last("12:00")), [
        made("a", "Complete", "2026-01-01T11:40:00Z"),
        made("b", "Complete", "2026-01-01T11:20:00Z"),
        made("c", "Failed"),
        running,
      ]),
      "forget b c, UnexpectedJob, in 570.1 s",
    ],
    ["refuses a time zone that nobody knows", planned(cronJob({ timeZone: "Moon/Base" })), "UnknownTimeZone"],
    ["refuses what is no schedule", planned(cronJob({ schedule: "often" })), "UnparseableSchedule"],
    ["refuses a schedule that never comes", planned(cronJob({ schedule: "0 0 31 2 *" })), "InvalidSchedule"],
  ];
  it.each(cases)("%s", (_name, got, expected) => {
    expect(got).toBe(expected);
  });

  it("remembers when a job last succeeded", () => {
    const { status } = planCronJob({
      cronJob: cronJob({}, { lastSuccessfulTime: "2026-01-01T11:00:00Z" }),
      jobs: [made("a", "Complete"), made("b", "Failed")],
      gone: new Set(),
      now,
    });
    expect(status.lastSuccessfulTime).toBe("2026-01-01T11:31:00Z");
  });
});

describe("the job of a CronJob", () => {
  it("has the template, a name by the minute, and the time in its zone", () => {
    const jobTemplate = { metadata: { labels: { a: "b" }, annotations: { c: "d" } }, spec: { template: {} } };
    const of = cronJob({ timeZone: "Asia/Kolkata", jobTemplate });
    const { metadata } = jobOfCronJob(of, at("2026-01-01T12:00:00Z"));
    expect(metadata).toMatchObject({
      name: "tick-29454480",
      labels: { a: "b" },
      annotations: {
        c: "d",
        "batch.kubernetes.io/cronjob-scheduled-timestamp": "2026-01-01T17:30:00+05:30",
      },
      ownerReferences: [{ kind: "CronJob", name: "tick", controller: true }],
    });
  });
});

/** A year of a CronJob whose jobs succeed at once: the plan is asked when it asks to be, and nothing else happens. */
function aYearOf(spec: Partial<CronJob["spec"]>): readonly string[] {
  const runs: string[] = [];
  const of = cronJob(spec);
  of.metadata.creationTimestamp = "2026-01-01T00:00:00Z";
  let time = parseTime(of.metadata.creationTimestamp);
  const end = at("2027-01-01T00:00:00Z");
  while (time < end) {
    const plan = planCronJob({ cronJob: of, jobs: [], gone: new Set(), now: time });
    if (plan.run !== undefined) {
      const { annotations } = jobOfCronJob(of, plan.run).metadata;
      runs.push(annotations?.["batch.kubernetes.io/cronjob-scheduled-timestamp"] ?? "");
      of.status = { lastScheduleTime: formatTime(plan.run) };
    }
    expect(plan.lookAgainAfter).toBeGreaterThan(0);
    time += plan.lookAgainAfter ?? end;
  }
  return runs;
}

describe("a year of a CronJob in Berlin", () => {
  it("runs on every day at noon, by the clocks of Berlin", () => {
    const runs = aYearOf({ schedule: "0 12 * * *", timeZone: "Europe/Berlin" });
    expect(runs).toHaveLength(365);
    expect(runs.every((run) => run.slice(11, 19) === "12:00:00")).toBe(true);
    expect(runs.filter((run) => run.endsWith("+02:00"))).toHaveLength(210);
  });
  it("runs on every day but one at half past two, and twice on another", () => {
    const runs = aYearOf({ schedule: "30 2 * * *", timeZone: "Europe/Berlin" });
    expect(runs).toHaveLength(365);
    const days = Map.groupBy(runs, (run) => run.slice(0, 10));
    expect(days.has("2026-03-29")).toBe(false);
    expect(days.get("2026-10-25")).toEqual(["2026-10-25T02:30:00+02:00", "2026-10-25T02:30:00+01:00"]);
  });
  it("runs every hour that there is", () => {
    const runs = aYearOf({ schedule: "@hourly", timeZone: "Europe/Berlin" });
    // But for the first, at which it was made.
    expect(runs).toHaveLength(365 * 24 - 1);
    expect(new Set(runs).size).toBe(runs.length);
  });
});
