import { isNotFound, withTypeMeta, type DeepReadonly } from "@kedge/machinery";
import { Job } from "@kedge/machinery/kinds/batch/v1";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import type { ReconcileContext } from "@kedge/runtime";
import { isAsPlanned } from "../is-as-planned.ts";
import { createPod, deletePod } from "../pods/pod-control.ts";
import { slowStart } from "../slow-start.ts";
import type { JobOutcome } from "./counting.ts";
import { isTracked, trackingFinalizer } from "./job-pod.ts";
import { podOfJob } from "./new-pod.ts";
import type { JobPlan } from "./plan.ts";

type Context = Pick<ReconcileContext<Job>, "client" | "events" | "read" | "signal">;
type AnyPod = DeepReadonly<Pod>;

/** How many calls are under way at once. */
const width = 32;

/** Makes and deletes pods as planned, and tells what came of it, also when something failed. */
export async function act(
  context: Context,
  job: DeepReadonly<Job>,
  plan: JobPlan,
): Promise<JobOutcome & { readonly failure?: Error | undefined }> {
  const owner = withTypeMeta(Job, job);
  const ended = await sideBySide(plan.end, (pod) => deletePod(context, owner, pod));
  const given = await sideBySide(plan.giveUp, async (pod) => {
    await dropFinalizer(context, pod);
    await deletePod(context, owner, pod);
  });
  const deleted = [...ended.done, ...given.done];
  let created = 0;
  let failure = ended.failure ?? given.failure;
  const mayGoOn = (): boolean =>
    isAsPlanned(job, { newest: context.read(Job).get(job.metadata), signal: context.signal });
  try {
    await slowStart(plan.create, mayGoOn, async (pod) => {
      const isMade = await createPod(context, owner, podOfJob(job, pod));
      if (isMade) created++;
      return isMade;
    });
  } catch (error) {
    failure ??= asError(error);
  }
  return { created, deleted, failure };
}

/** Lets pods go whose end has been written down. Tells who was let go, also when something failed. */
export function release(context: Context, pods: readonly AnyPod[]): Promise<Done> {
  return sideBySide(pods, (pod) => dropFinalizer(context, pod));
}

/** Takes the tracking finalizer from a pod; one that is gone has none. */
export async function dropFinalizer({ client }: Pick<Context, "client">, pod: AnyPod): Promise<void> {
  if (!isTracked(pod)) return;
  const { uid } = pod.metadata;
  const metadata = { uid, "$deleteFromPrimitiveList/finalizers": [trackingFinalizer] };
  try {
    await client.of(Pod).patch(pod.metadata, { strategic: { metadata } });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** For whom a call went well, and the first failure. */
interface Done {
  readonly done: readonly AnyPod[];
  readonly failure?: Error | undefined;
}

async function sideBySide(pods: readonly AnyPod[], call: (pod: AnyPod) => Promise<unknown>): Promise<Done> {
  const done: AnyPod[] = [];
  let failure: Error | undefined;
  for (let begin = 0; begin < pods.length; begin += width) {
    const batch = pods.slice(begin, begin + width);
    const outcomes = await Promise.allSettled(batch.map(call));
    for (const [i, outcome] of outcomes.entries()) {
      const pod = batch[i];
      if (outcome.status === "rejected") failure ??= asError(outcome.reason);
      else if (pod !== undefined) done.push(pod);
    }
  }
  return { done, failure };
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
