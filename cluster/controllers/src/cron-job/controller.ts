import {
  controllerOf,
  deepEqual,
  findCause,
  formatTime,
  ifFound,
  isAlreadyExists,
  keyToString,
  messageOf,
  withTypeMeta,
  type DeepReadonly,
} from "@kedge/machinery";
import { CronJob, Job, type CronJobStatus } from "@kedge/machinery/kinds/batch/v1";
import {
  byController,
  defineController,
  owns,
  type Controller,
  type EventNote,
  type ReconcileContext,
  type ReconcileResult,
} from "@kedge/runtime";
import { writeStatusAsUpdate } from "../write-status.ts";
import { jobOfCronJob } from "./new-job.ts";
import { planCronJob, referenceTo } from "./plan.ts";

/** Makes jobs when they are due. */
export function cronJobController(): Controller {
  /** By key: the schedule that was seen last. */
  const schedules = new Map<string, string>();
  return defineController({
    name: "cronjob-controller",
    reporter: "cronjob-controller",
    for: CronJob,
    // Somebody may put the time of the last run right, which is in the status.
    when: () => true,
    owns: [owns(Job, {})],
    reconcile: (context) => reconcile(context, schedules),
  });
}

type Context = ReconcileContext<CronJob>;
type AnyCronJob = DeepReadonly<CronJob>;

async function reconcile(
  context: Context,
  schedules: Map<string, string>,
): Promise<ReconcileResult | undefined> {
  const { object: cronJob, clock } = context;
  const key = keyToString(context.key);
  const seen = schedules.get(key);
  schedules.delete(key);
  if (cronJob === undefined) return undefined;
  const { uid } = cronJob.metadata;
  const schedule = JSON.stringify([uid, cronJob.spec.schedule, cronJob.spec.timeZone]);
  schedules.set(key, schedule);
  const isRescheduled = seen !== undefined && seen.includes(uid) && seen !== schedule;
  const jobs = context
    .read(Job)
    .byIndex(byController, uid)
    .toSorted((one, other) => (one.metadata.name < other.metadata.name ? -1 : 1));
  const gone = await missingJobs(context, cronJob, jobs);
  const plan = planCronJob({ cronJob, jobs, gone, isRescheduled, now: clock.now() });
  const status: CronJobStatus = { ...plan.status };
  const notes: EventNote[] = [];
  let failure: Error | undefined;
  try {
    for (const job of plan.forget) await deleteJob(context, job.metadata, notes);
    for (const note of plan.events) notes.push(note);
    for (const job of plan.replace) {
      await deleteJob(context, { namespace: cronJob.metadata.namespace, name: job.name ?? "" }, notes);
      status.active = (status.active ?? []).filter((active) => active.uid !== job.uid);
    }
    if (plan.run !== undefined) await createJob(context, cronJob, { time: plan.run, status, notes });
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error));
  }
  if (status.active?.length === 0) delete status.active;
  if (!deepEqual(cronJob.status ?? {}, status)) {
    await writeStatusAsUpdate(context.client.of(CronJob).status, cronJob, status);
  }
  for (const note of notes) context.events.record(withTypeMeta(CronJob, cronJob), note);
  if (failure !== undefined && findCause(failure, "NamespaceTerminating") === undefined) throw failure;
  return plan.lookAgainAfter === undefined ? undefined : { requeueAfter: plan.lookAgainAfter };
}

/** Active jobs that the cache does not show, and the server does not have either. */
async function missingJobs(
  { client }: Context,
  { metadata, status }: AnyCronJob,
  jobs: readonly DeepReadonly<Job>[],
): Promise<ReadonlySet<string>> {
  const known = new Set<string>(jobs.map(({ metadata: { uid } }) => uid));
  const missing = new Set<string>();
  for (const { name = "", uid = "" } of status?.active ?? []) {
    if (known.has(uid)) continue;
    const found = await ifFound(client.of(Job).get({ namespace: metadata.namespace, name }));
    if (found === undefined) missing.add(name);
  }
  return missing;
}

async function deleteJob(
  { client }: Context,
  key: { readonly namespace: string; readonly name: string },
  notes: EventNote[],
): Promise<void> {
  try {
    await client.of(Job).delete(key, { propagation: "Background" });
  } catch (error) {
    notes.push({ type: "Warning", reason: "FailedDelete", message: `Deleted job: ${messageOf(error)}` });
    throw error;
  }
  notes.push({ reason: "SuccessfulDelete", message: `Deleted job ${key.name}` });
}

interface Run {
  readonly time: number;
  /** Gets the new job. */
  readonly status: CronJobStatus;
  readonly notes: EventNote[];
}

async function createJob(
  { client }: Context,
  cronJob: AnyCronJob,
  { time, status, notes }: Run,
): Promise<void> {
  const draft = jobOfCronJob(cronJob, time);
  let job: DeepReadonly<Job>;
  try {
    job = await client.of(Job).create(draft);
    notes.push({ reason: "SuccessfulCreate", message: `Created job ${job.metadata.name}` });
  } catch (error) {
    if (!isAlreadyExists(error)) {
      if (findCause(error, "NamespaceTerminating") === undefined) {
        notes.push({
          type: "Warning",
          reason: "FailedCreate",
          message: `Error creating job: ${messageOf(error)}`,
        });
      }
      throw error;
    }
    // Made before by us, who then lost the answer or crashed: only the status lacks it. Another's is left alone.
    job = await client.of(Job).get(draft.metadata);
    if (controllerOf(job)?.uid !== cronJob.metadata.uid) return;
  }
  const isListed = (status.active ?? []).some(({ uid }) => uid === job.metadata.uid);
  if (!isListed) status.active = [...(status.active ?? []), referenceTo(job)];
  status.lastScheduleTime = formatTime(time);
}
