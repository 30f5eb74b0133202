import {
  clone,
  controllerOf,
  deepEqual,
  keyToString,
  withTypeMeta,
  type DeepReadonly,
  type Uid,
} from "@kedge/machinery";
import { Job, type JobStatus } from "@kedge/machinery/kinds/batch/v1";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import {
  defineController,
  owns,
  watches,
  type Controller,
  type ReconcileContext,
  type ReconcileResult,
} from "@kedge/runtime";
import { adoptersAmong } from "../ownership/adopters.ts";
import { adoptAndRelease } from "../ownership/adopt-and-release.ts";
import { ownedPods } from "../pods/owned-pods.ts";
import { act, release } from "./act.ts";
import { nextBackoff, noBackoff, type Backoff } from "./backoff.ts";
import { countEnded, settleCounting, trackedUids, type Counting } from "./counting.ts";
import { finalConditionOf, isFinished } from "./ending.ts";
import { factsOf } from "./facts.ts";
import { trackingFinalizer } from "./job-pod.ts";
import { planJob } from "./plan.ts";

/** Who does what this controller does, when nobody else is named. */
const controllerName = "kubernetes.io/job-controller";

/** Runs pods until as many as wanted have succeeded. */
export function jobController(): Controller {
  /** By the job's key. Failures in a row are remembered here only: who starts anew begins with a short pause. */
  const backoffs: Backoffs = new Map();
  return defineController({
    name: "job-controller",
    reporter: "job-controller",
    for: Job,
    owns: [owns(Pod, {})],
    watches: [watches(Pod, adoptersAmong(Job))],
    reconcile: (context) => reconcile(context, backoffs),
  });
}

/** Whether another controller keeps this job. */
export function isManagedElsewhere({ spec }: DeepReadonly<Job>): boolean {
  return spec.managedBy !== undefined && spec.managedBy !== controllerName;
}

type Context = ReconcileContext<Job>;

type Backoffs = Map<string, { readonly uid: Uid; readonly backoff: Backoff }>;

async function reconcile(context: Context, backoffs: Backoffs): Promise<ReconcileResult | undefined> {
  const { object: job, clock } = context;
  const key = keyToString(context.key);
  if (job === undefined || isManagedElsewhere(job) || isFinished(job)) {
    backoffs.delete(key);
    return undefined;
  }
  const { uid } = job.metadata;
  const before = backoffs.get(key);
  await adoptAndReleasePods(context, job);
  const pods = ownedPods(context, job);
  const view = { job, pods, backoff: before?.uid === uid ? before.backoff : noBackoff, now: clock.now() };
  const facts = factsOf(view);
  const plan = planJob(view, facts);
  const outcome = await act(context, job, plan);
  const counting = countEnded(view, facts, plan, outcome);
  const newest = await writeStatus(context, job, counting.status);
  const ended = { succeeded: facts.newlySucceeded, failed: facts.newlyFailed };
  backoffs.set(key, { uid, backoff: nextBackoff(view.backoff, ended) });
  tellSuspension(context, job, counting);
  const { done, failure } = await release(context, counting.release);
  const tracked = new Set(trackedUids(pods));
  for (const { metadata } of done) tracked.delete(metadata.uid);
  const status = settleCounting(counting, tracked, clock.now());
  await writeStatus(context, newest, status);
  tellEnd(context, job, status);
  const failed = failure ?? outcome.failure;
  if (failed !== undefined) throw failed;
  return plan.lookAgainAfter === undefined ? undefined : { requeueAfter: plan.lookAgainAfter };
}

async function adoptAndReleasePods(context: Context, job: DeepReadonly<Job>): Promise<void> {
  const { client } = context;
  const { namespace, name, uid } = job.metadata;
  await adoptAndRelease({
    owner: withTypeMeta(Job, job),
    selector: job.spec.selector ?? {},
    children: context
      .read(Pod)
      .list({ namespace })
      .filter((pod) => [undefined, uid].includes(controllerOf(pod)?.uid)),
    finalizers: [trackingFinalizer],
    read: () => client.of(Job).get({ namespace, name }),
    patch: (key, patch) => client.of(Pod).patch(key, patch),
  });
}

/** Replaces the status, if it is another; gives the job as it is then. */
async function writeStatus(
  { client }: Context,
  job: DeepReadonly<Job>,
  status: JobStatus,
): Promise<DeepReadonly<Job>> {
  if (deepEqual(job.status, status)) return job;
  // Without managedFields the server keeps its own.
  const { metadata, spec } = clone(job);
  return client.of(Job).status.replace({ metadata: { ...metadata, managedFields: undefined }, spec, status });
}

function tellSuspension({ events }: Context, job: DeepReadonly<Job>, { isSuspensionTold }: Counting): void {
  if (!isSuspensionTold) return;
  events.record(
    withTypeMeta(Job, job),
    job.spec.suspend === true
      ? { reason: "Suspended", message: "Job suspended" }
      : { reason: "Resumed", message: "Job resumed" },
  );
}

function tellEnd({ events }: Context, job: DeepReadonly<Job>, status: JobStatus): void {
  const final = finalConditionOf(status.conditions);
  if (final === undefined) return;
  const object = withTypeMeta(Job, job);
  if (final.type === "Failed") {
    const { reason = "", message = "" } = final;
    events.record(object, { type: "Warning", reason, message });
    return;
  }
  if ((status.succeeded ?? 0) > (job.spec.completions ?? Infinity)) {
    const message = "Too many succeeded pods running after completion count reached";
    events.record(object, { type: "Warning", reason: "TooManySucceededPods", message });
  }
  events.record(object, { reason: "Completed", message: "Job completed" });
}
