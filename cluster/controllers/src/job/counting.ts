import { formatTime, type DeepReadonly } from "@kedge/machinery";
import type { JobCondition, JobStatus } from "@kedge/machinery/kinds/batch/v1";
import type { Pod } from "@kedge/machinery/kinds/core/v1";
import { completionsReached, type Ending } from "./ending.ts";
import { judgeFailure } from "./failure-policy.ts";
import type { JobFacts, JobView } from "./facts.ts";
import { hasIndex, indexesToText } from "./indexes.ts";
import { completionIndexOf, isFailed, isIndexed, isTracked, validIndexOf } from "./job-pod.ts";
import type { JobPlan } from "./plan.ts";

type AnyPod = DeepReadonly<Pod>;

/** What came of a plan. */
export interface JobOutcome {
  readonly created: number;
  /** Those of `end` and `giveUp` that were told to go, or were gone. */
  readonly deleted: readonly AnyPod[];
}

/** The first half of counting: who has ended is written down before its finalizer goes, so that it is counted once. */
export interface Counting {
  readonly status: JobStatus;
  /** Whose finalizer may go when the status is written. */
  readonly release: readonly AnyPod[];
  readonly ending: Ending | undefined;
  /** More have ended than one run counts: the job cannot be called finished yet. */
  readonly isCut: boolean;
  readonly isSuspensionTold: boolean;
}

/** How many uids of pods the status holds at most. */
const mostUncounted = 500;

/** Counts what has ended. */
export function countEnded(view: JobView, facts: JobFacts, plan: JobPlan, outcome: JobOutcome): Counting {
  const { job, now } = view;
  const before = job.status ?? {};
  const active = facts.active.length - outcome.deleted.length + outcome.created;
  const ending = endingAfter(view, facts, plan, active);
  const suspension = ending === undefined ? suspensionOf(view) : undefined;
  const startTime = before.startTime ?? (job.spec.suspend === true ? undefined : formatTime(now));
  const counts = countedOf(before, trackedUids(view.pods));
  const given = new Set(plan.giveUp);
  const ended = newlyEnded({ ...view, pods: view.pods.filter((pod) => !given.has(pod)) }, facts, {
    ending,
    room: mostUncounted - counts.uncountedSucceeded.length - counts.uncountedFailed.length,
  });
  const deletedReady = outcome.deleted.filter(
    ({ status }) => status?.conditions?.find(({ type }) => type === "Ready")?.status === "True",
  ).length;
  const conditions = [...(before.conditions ?? [])].map((condition) => ({ ...condition }));
  const isTold = conditions.some(({ type, status }) => type === ending?.type && status === "True");
  if (ending !== undefined && !isTold) conditions.push(conditionOf(ending.type, "True", ending, now));
  return {
    status: tidy({
      ...before,
      conditions: suspension === undefined ? conditions : withCondition(conditions, suspension),
      startTime:
        suspension === undefined ? startTime : suspension.status === "True" ? undefined : formatTime(now),
      active,
      ready: facts.ready - deletedReady,
      terminating: facts.terminating.length + outcome.deleted.length,
      succeeded: isIndexed(job) ? facts.succeeded : counts.succeeded,
      failed: counts.failed,
      ...(isIndexed(job) ? { completedIndexes: indexesToText(facts.succeededIndexes) } : {}),
      failedIndexes:
        facts.failedIndexes === undefined ? before.failedIndexes : indexesToText(facts.failedIndexes),
      uncountedTerminatedPods: {
        succeeded: [...counts.uncountedSucceeded, ...ended.succeeded],
        failed: [...counts.uncountedFailed, ...ended.failed],
      },
    }),
    release: ended.release,
    ending,
    isCut: ended.isCut,
    isSuspensionTold: suspension !== undefined,
  };
}

/** The second half: those whose finalizers are gone are counted; when nothing is left, the job is finished. */
export function settleCounting(
  { status, ending, isCut }: Counting,
  stillTracked: ReadonlySet<string>,
  now: number,
): JobStatus {
  const counts = countedOf(status, stillTracked);
  const { uncountedSucceeded, uncountedFailed } = counts;
  const isLeft = uncountedSucceeded.length + uncountedFailed.length > 0 || (status.terminating ?? 0) > 0;
  const isOver = ending !== undefined && !isCut && !isLeft;
  const type = ending?.type === "SuccessCriteriaMet" ? "Complete" : "Failed";
  return tidy({
    ...status,
    succeeded: counts.succeeded,
    failed: counts.failed,
    uncountedTerminatedPods: { succeeded: uncountedSucceeded, failed: uncountedFailed },
    ...(isOver && {
      conditions: withCondition(status.conditions ?? [], conditionOf(type, "True", ending, now)),
      ...(type === "Complete" && { completionTime: formatTime(now) }),
    }),
  });
}

/** The uids of pods whose end has not been counted. */
export function trackedUids(pods: readonly AnyPod[]): ReadonlySet<string> {
  return new Set(pods.filter(isTracked).map(({ metadata }) => metadata.uid));
}

/** A job does not end before its pods were told to; it ends well when it has its successes and nothing runs. */
function endingAfter(
  { job }: JobView,
  { succeeded }: JobFacts,
  plan: JobPlan,
  active: number,
): Ending | undefined {
  if (plan.ending !== undefined) return active === 0 ? plan.ending : undefined;
  const { completions } = job.spec;
  const isEnough = completions === undefined ? succeeded > 0 : succeeded >= completions;
  return isEnough && active === 0 ? completionsReached : undefined;
}

/** What is newly said of being suspended. A job that never was says nothing. */
function suspensionOf({ job, now }: JobView): JobCondition | undefined {
  if (job.metadata.deletionTimestamp !== undefined) return undefined;
  const isSuspended = job.spec.suspend === true;
  const told = job.status?.conditions?.find(({ type }) => type === "Suspended");
  if (told === undefined && !isSuspended) return undefined;
  const wanted = isSuspended
    ? { reason: "JobSuspended", message: "Job suspended" }
    : { reason: "JobResumed", message: "Job resumed" };
  const status = isSuspended ? "True" : "False";
  const isSame = told?.status === status && told.reason === wanted.reason && told.message === wanted.message;
  return isSame ? undefined : conditionOf("Suspended", status, wanted, now);
}

/** Who has ended and is in no count yet, and whose finalizer may go: as many as there is room for. */
function newlyEnded(
  { job, pods }: JobView,
  { succeededBefore, toReplace }: JobFacts,
  { ending, room }: { readonly ending: Ending | undefined; readonly room: number },
) {
  const counted = job.status?.uncountedTerminatedPods;
  const [known, knownFailed] = [new Set(counted?.succeeded), new Set(counted?.failed)];
  const held = new Set(Array.from(toReplace.values(), ({ metadata }) => metadata.uid));
  const [release, succeeded, failed]: [AnyPod[], string[], string[]] = [[], [], []];
  let indexes = 0;
  const isAllOver = job.metadata.deletionTimestamp !== undefined || ending !== undefined;
  const inOrder = isIndexed(job)
    ? pods.toSorted((one, other) => (completionIndexOf(one) ?? -1) - (completionIndexOf(other) ?? -1))
    : pods;
  for (const pod of inOrder) {
    const { uid } = pod.metadata;
    const hasSucceeded = pod.status?.phase === "Succeeded";
    const hasFailed = isFailed(job, pod);
    // A failed pod waits until the pod that replaces it has taken over its index's count.
    if (!isTracked(pod) || !(isAllOver || hasSucceeded || (hasFailed && !held.has(uid)))) continue;
    release.push(pod);
    const index = validIndexOf(job, pod);
    if (hasSucceeded && !knownFailed.has(uid)) {
      if (!isIndexed(job) && !known.has(uid)) succeeded.push(uid);
      else if (isIndexed(job) && index !== undefined && !hasIndex(succeededBefore, index)) indexes++;
    } else if (hasFailed || ending?.type === "FailureTarget") {
      const isMine = !knownFailed.has(uid) && (!isIndexed(job) || index !== undefined);
      if (isMine && judgeFailure(job.spec.podFailurePolicy, pod).isCounted) failed.push(uid);
    }
    if (indexes + succeeded.length + failed.length >= room)
      return { release, succeeded, failed, isCut: true };
  }
  return { release, succeeded, failed, isCut: false };
}

/** Of those that the status names, who has no finalizer any more moves into the count. */
function countedOf(status: DeepReadonly<JobStatus>, tracked: ReadonlySet<string>) {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const uncountedSucceeded = succeeded.filter((uid) => tracked.has(uid));
  const uncountedFailed = failed.filter((uid) => tracked.has(uid));
  return {
    uncountedSucceeded,
    uncountedFailed,
    succeeded: (status.succeeded ?? 0) + succeeded.length - uncountedSucceeded.length,
    failed: (status.failed ?? 0) + failed.length - uncountedFailed.length,
  };
}

function conditionOf(
  type: string,
  status: string,
  { reason, message }: Pick<Ending, "reason" | "message">,
  now: number,
): JobCondition {
  const time = formatTime(now);
  return { type, status, lastProbeTime: time, lastTransitionTime: time, reason, message };
}

function withCondition(conditions: readonly JobCondition[], condition: JobCondition): JobCondition[] {
  if (!conditions.some(({ type }) => type === condition.type)) return [...conditions, condition];
  return conditions.map((each) => (each.type === condition.type ? condition : each));
}

/** As the server keeps it: without counts of zero and empty lists, so that what has not changed is not written. */
function tidy(status: DeepReadonly<JobStatus>): JobStatus {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const { conditions = [], ready = 0, terminating = 0 } = status;
  const fields = {
    ...status,
    active: status.active === 0 ? undefined : status.active,
    succeeded: status.succeeded === 0 ? undefined : status.succeeded,
    failed: status.failed === 0 ? undefined : status.failed,
    completedIndexes: status.completedIndexes === "" ? undefined : status.completedIndexes,
    conditions: conditions.length === 0 ? undefined : conditions.map((condition) => ({ ...condition })),
    ready,
    terminating,
    uncountedTerminatedPods: {
      ...(succeeded.length > 0 && { succeeded: [...succeeded] }),
      ...(failed.length > 0 && { failed: [...failed] }),
    },
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
