import type { DeepReadonly } from "@kedge/machinery";
import type { Pod } from "@kedge/machinery/kinds/core/v1";
import { leastAdvancedFirst } from "../pods/deletion-order.ts";
import { nextBackoff, untilNextPod, untilReplaced } from "./backoff.ts";
import { endingOf, untilDeadline, type Ending } from "./ending.ts";
import { activeIndexes, type JobFacts, type JobView } from "./facts.ts";
import { firstOutside, union } from "./indexes.ts";
import { isIndexed, replacesOnlyFailed, validIndexOf } from "./job-pod.ts";
import type { NewPod } from "./new-pod.ts";

type AnyPod = DeepReadonly<Pod>;

/** What is done for a job. At most one of `end`, `giveUp` and `create` is not empty. */
export interface JobPlan {
  /** The job ends so, when its pods are told to go. */
  readonly ending: Ending | undefined;
  /** Deleted because the job ends; each is still counted. */
  readonly end: readonly AnyPod[];
  /** Deleted because they are too many, or the job is suspended: they never count. */
  readonly giveUp: readonly AnyPod[];
  readonly create: readonly NewPod[];
  /** Milliseconds after which to look again although nothing has changed. */
  readonly lookAgainAfter: number | undefined;
}

/** How many pods one run makes or deletes at most. */
const burst = 500;

/** What the job's pods lack, or have too much of. */
export function planJob(view: JobView, facts: JobFacts): JobPlan {
  const { job, now } = view;
  const ending = endingOf(view, facts);
  const nothing = { ending, end: [], giveUp: [], create: [], lookAgainAfter: undefined };
  if (ending !== undefined) return { ...nothing, end: facts.active };
  const deadline = untilDeadline(job, job.status?.startTime ?? undefined, now);
  const waiting = { ...nothing, lookAgainAfter: deadline ?? untilNewDeadline(view) };
  if (job.metadata.deletionTimestamp !== undefined) return waiting;
  const wanted = job.spec.suspend === true ? 0 : wantedActive(view, facts);
  const giveUp = podsToGiveUp(view, facts, wanted);
  if (giveUp.length > 0) return { ...waiting, giveUp };
  if (job.spec.suspend === true) return waiting;
  const going = replacesOnlyFailed(job) ? facts.terminating.length : 0;
  const missing = Math.min(wanted - going - facts.active.length, burst);
  if (missing <= 0) return waiting;
  const { create, wait } = podsToCreate(view, facts, missing);
  return { ...waiting, create, lookAgainAfter: sooner(waiting.lookAgainAfter, wait) };
}

/** A job that starts now has all its time before it. */
function untilNewDeadline({ job }: JobView): number | undefined {
  const { activeDeadlineSeconds: limit, suspend } = job.spec;
  const isNew = job.status?.startTime === undefined && suspend !== true;
  return limit === undefined || !isNew ? undefined : limit * 1000;
}

function wantedActive({ job }: JobView, { active, succeeded }: JobFacts): number {
  const { completions, parallelism = 1 } = job.spec;
  // Without a number any success is the end: what runs may finish, and nothing new begins.
  if (completions === undefined) return succeeded > 0 ? active.length : parallelism;
  return Math.max(0, Math.min(completions - succeeded, parallelism));
}

/** What is too much. Of an indexed job first what has no index of its own. */
function podsToGiveUp({ job }: JobView, { active }: JobFacts, wanted: number): readonly AnyPod[] {
  const least = Math.max(0, active.length - wanted);
  const isLimited = job.spec.suspend !== true;
  const misplaced = isIndexed(job) ? withoutOwnIndex(active, (pod) => validIndexOf(job, pod)) : [];
  const rest = active.filter((pod) => !misplaced.includes(pod));
  const more = leastAdvancedFirst(rest).slice(0, Math.max(0, least - misplaced.length));
  return [...misplaced, ...more].slice(0, isLimited ? burst : undefined);
}

/** Pods without an index, beyond the last one, or of an index that another has, who is further. */
function withoutOwnIndex(
  pods: readonly AnyPod[],
  indexOf: (pod: AnyPod) => number | undefined,
): readonly AnyPod[] {
  const byIndex = Map.groupBy(pods, indexOf);
  return [...byIndex].flatMap(([index, same]) =>
    index === undefined ? same : leastAdvancedFirst(same).slice(0, -1),
  );
}

function podsToCreate(
  { job, backoff, now }: JobView,
  facts: JobFacts,
  missing: number,
): { readonly create: readonly NewPod[]; readonly wait?: number } {
  const isPerIndex = facts.failedIndexes !== undefined;
  if (!isPerIndex) {
    const next = nextBackoff(backoff, { succeeded: facts.newlySucceeded, failed: facts.newlyFailed });
    const wait = untilNextPod(next, now);
    if (wait > 0) return { create: [], wait };
  }
  if (!isIndexed(job)) return { create: Array.from({ length: missing }, () => ({})) };
  const going = replacesOnlyFailed(job) ? activeIndexes(facts.terminating) : [];
  const taken = [facts.succeededIndexes, facts.failedIndexes ?? [], activeIndexes(facts.active), going];
  const indexes = firstOutside(taken.reduce(union), job.spec.completions ?? 0, missing);
  if (!isPerIndex) return { create: indexes.map((index) => ({ index })) };
  const pods = indexes.map((index) => {
    const replaces = facts.toReplace.get(index);
    return { index, replaces, wait: untilReplaced(replaces, now) };
  });
  const create = pods.filter(({ wait }) => wait === 0).map(({ index, replaces }) => ({ index, replaces }));
  const waits = pods.map(({ wait }) => wait).filter((wait) => wait > 0);
  return waits.length === 0 ? { create } : { create, wait: Math.min(...waits) };
}

function sooner(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}
