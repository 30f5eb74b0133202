import { formatTime, realClock } from "@kedge/machinery";
import { CronJob, Job } from "@kedge/machinery/kinds/batch/v1";
import type { Scenario, Stage } from "../testing/workload-stages.ts";
import { until } from "../wait.ts";

type Spec = Partial<CronJob["spec"]>;
const name = "tick";
const minute = 60_000;

/** Once a year, six months away from now: nothing comes due while the test runs. */
function farSchedule(): string {
  return `0 0 1 ${((new Date(realClock.now()).getUTCMonth() + 6) % 12) + 1} *`;
}

/** At the minute that began so many minutes before the first of these, each hour: the same on both sides. */
function scheduleOf(minutesAgo: number): string {
  begin ??= realClock.now();
  return `${new Date(begin - minutesAgo * minute).getUTCMinutes()} * * * *`;
}
let begin: number | undefined;

async function make(
  { client, at }: Stage,
  spec: Spec = {},
  jobSpec: Partial<Job["spec"]> = {},
): Promise<void> {
  const template = { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "main:1" }] } };
  const metadata = { labels: { made: "here" }, annotations: { note: "kept" } };
  const jobTemplate = { metadata, spec: { template, ...jobSpec } };
  await client
    .of(CronJob)
    .create({ metadata: at(name), spec: { schedule: farSchedule(), jobTemplate, ...spec } });
}

/** Says that it last ran so many minutes ago: what its schedule asks for since then is due now. */
async function lastRan({ client, at }: Stage, minutesAgo: number): Promise<void> {
  const lastScheduleTime = formatTime(realClock.now() - minutesAgo * minute);
  await client.of(CronJob).status.patch(at(name), { merge: { status: { lastScheduleTime } } });
}

async function untilStatus(
  { client, at }: Stage,
  isSo: (status: NonNullable<CronJob["status"]>) => boolean,
): Promise<void> {
  await until("the status is so", async () => isSo((await client.of(CronJob).get(at(name))).status ?? {}));
}

async function untilJobs({ client, namespace }: Stage, count: number): Promise<void> {
  await until(`there are ${count} jobs`, async () => {
    const { items } = await client.of(Job).list({ namespace }).all();
    return items.length === count;
  });
}

/** Makes a job that the CronJob controls, as `kubectl create job --from` does. */
async function makeOwnJob(
  { client, at }: Stage,
  job: string,
  spec: Partial<Job["spec"]> = {},
): Promise<void> {
  const { metadata } = await client.of(CronJob).get(at(name));
  const owner = { apiVersion: "batch/v1", kind: "CronJob", name, uid: metadata.uid, controller: true };
  const template = { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "main:1" }] } };
  await client
    .of(Job)
    .create({ metadata: { ...at(job), ownerReferences: [owner] }, spec: { template, ...spec } });
}

/** CronJobs: runs that are due, and what is kept. */
export const cronJobScenarios: readonly Scenario[] = [
  [
    "nothing is due",
    async (stage) => {
      await make(stage);
      await makeOwnJob(stage, "known", { completions: 0 });
      await untilStatus(stage, ({ lastSuccessfulTime }) => lastSuccessfulTime !== undefined);
    },
  ],
  [
    "a run that is due, and succeeds",
    async (stage) => {
      await make(stage, { schedule: scheduleOf(5) }, { completions: 0 });
      await lastRan(stage, 30);
      await untilStatus(
        stage,
        ({ active, lastSuccessfulTime }) => !active && lastSuccessfulTime !== undefined,
      );
    },
  ],
  [
    "a run that is due, in a zone of its own, and goes on",
    async (stage) => {
      await make(stage, { schedule: scheduleOf(5), timeZone: "America/New_York" });
      await lastRan(stage, 30);
      await stage.untilRunning(1);
      await untilStatus(stage, ({ active = [] }) => active.length === 1);
    },
  ],
  [
    "many runs that were missed",
    async (stage) => {
      await make(stage, { schedule: scheduleOf(7), suspend: true });
      await lastRan(stage, 60 * 24 * 10);
      await stage.client.of(CronJob).patch(stage.at(name), { merge: { spec: { suspend: false } } });
      await untilStatus(stage, ({ active = [] }) => active.length === 1);
    },
  ],
  [
    "a run that is too late",
    async (stage) => {
      await make(stage, { schedule: scheduleOf(9), startingDeadlineSeconds: 60 });
      await lastRan(stage, 30);
      await makeOwnJob(stage, "known", { completions: 0 });
      await untilStatus(stage, ({ lastSuccessfulTime }) => lastSuccessfulTime !== undefined);
    },
  ],
  [
    "suspended",
    async (stage) => {
      await make(stage, { schedule: scheduleOf(5), suspend: true });
      await lastRan(stage, 30);
      await makeOwnJob(stage, "known", { completions: 0 });
      await untilStatus(stage, ({ lastSuccessfulTime }) => lastSuccessfulTime !== undefined);
    },
  ],
  [
    "a run that is due while another runs, which is forbidden",
    async (stage) => {
      await make(stage, { schedule: scheduleOf(5), concurrencyPolicy: "Forbid" });
      await lastRan(stage, 30);
      await untilStatus(stage, ({ active = [] }) => active.length === 1);
      await lastRan(stage, 30);
      await stage.untilRunning(1);
    },
  ],
  [
    "a job of its own that goes missing",
    async (stage) => {
      await make(stage, { schedule: scheduleOf(5) });
      await lastRan(stage, 30);
      await untilStatus(stage, ({ active = [] }) => active.length === 1);
      const { items } = await stage.client.of(Job).list({ namespace: stage.namespace }).all();
      await stage.client.of(Job).delete(items[0]?.metadata ?? stage.at(""), { propagation: "Background" });
      await untilStatus(stage, ({ active }) => active === undefined);
    },
  ],
  [
    "as many finished jobs as it keeps",
    async (stage) => {
      await make(stage, { successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 1, suspend: true });
      for (const job of ["one", "two", "three"]) {
        await makeOwnJob(stage, job, { completions: 0 });
        await until("it has begun", async () => {
          const found = await stage.client.of(Job).list({ namespace: stage.namespace }).all();
          return found.items.every(({ status }) => status?.startTime !== undefined);
        });
        await realClock.sleep(1100);
      }
      await untilJobs(stage, 1);
    },
  ],
];
