import type { DeepReadonly } from "@kedge/machinery";
import type { Job } from "@kedge/machinery/kinds/batch/v1";
import type { Pod } from "@kedge/machinery/kinds/core/v1";
import { hasEnded, isActive, isReady, isTerminating } from "../pods/pod-state.ts";
import type { Backoff } from "./backoff.ts";
import { judgeFailure } from "./failure-policy.ts";
import { countOf, hasIndex, indexesFromText, indexesOf, union, type Indexes } from "./indexes.ts";
import {
  completionIndexOf,
  failuresBefore,
  finishedAt,
  isFailed,
  isIndexed,
  isTracked,
  validIndexOf,
} from "./job-pod.ts";

type AnyPod = DeepReadonly<Pod>;
type AnyJob = DeepReadonly<Job>;

/** What a job is planned from. */
export interface JobView {
  readonly job: AnyJob;
  /** All that the job controls. */
  readonly pods: readonly AnyPod[];
  readonly backoff: Backoff;
  readonly now: number;
}

/** What the pods of a job say of it. */
export interface JobFacts {
  readonly active: readonly AnyPod[];
  readonly ready: number;
  readonly terminating: readonly AnyPod[];
  /** Ended since the status was written, and in nobody's count yet. */
  readonly newlySucceeded: readonly AnyPod[];
  readonly newlyFailed: readonly AnyPod[];
  /** All successes; of an indexed job, of indexes. */
  readonly succeeded: number;
  /** All failures that count. */
  readonly failed: number;
  /** Indexes that the status names. */
  readonly succeededBefore: Indexes;
  readonly succeededIndexes: Indexes;
  /** Where each index counts its failures: those that have failed for good. */
  readonly failedIndexes: Indexes | undefined;
  /** Where each index counts its failures: the failed pod that the next pod of an index takes the count from. */
  readonly toReplace: ReadonlyMap<number, AnyPod>;
}

/** Reads the pods. */
export function factsOf({ job, pods }: Pick<JobView, "job" | "pods">): JobFacts {
  const { status, spec } = job;
  const counted = status?.uncountedTerminatedPods;
  const isNew = (pod: AnyPod, uncounted: readonly string[] = []): boolean =>
    isTracked(pod) &&
    !uncounted.includes(pod.metadata.uid) &&
    (!isIndexed(job) || validIndexOf(job, pod) !== undefined);
  const succeededPods = pods.filter(({ status: { phase } = {} }) => phase === "Succeeded");
  const failedPods = pods.filter((pod) => isFailed(job, pod));
  const newlySucceeded = succeededPods.filter((pod) => isNew(pod, counted?.succeeded));
  const newlyFailed = failedPods.filter((pod) => isNew(pod, counted?.failed));
  const countable = newlyFailed.filter((pod) => judgeFailure(spec.podFailurePolicy, pod).isCounted);
  const active = pods.filter(isActive);
  const succeededBefore = indexesFromText(status?.completedIndexes ?? "", spec.completions ?? 0);
  const succeededIndexes = union(succeededBefore, indexesOf(indexesIn(job, succeededPods.filter(isTracked))));
  const failedIndexes = failedIndexesOf(job, failedPods);
  return {
    active,
    ready: active.filter(isReady).length,
    terminating: pods.filter((pod) => isTerminating(pod) && !hasEnded(pod)),
    newlySucceeded,
    newlyFailed,
    succeeded: isIndexed(job)
      ? countOf(succeededIndexes)
      : (status?.succeeded ?? 0) + newlySucceeded.length + (counted?.succeeded?.length ?? 0),
    failed: (status?.failed ?? 0) + countable.length + (counted?.failed?.length ?? 0),
    succeededBefore,
    succeededIndexes,
    failedIndexes,
    toReplace:
      failedIndexes === undefined
        ? new Map()
        : lastFailures(
            job,
            failedPods.filter((pod) => isNew(pod)),
            union(union(succeededIndexes, failedIndexes), activeIndexes(active)),
          ),
  };
}

/** The indexes that these pods are for. */
export function activeIndexes(pods: readonly AnyPod[]): Indexes {
  return indexesOf(pods.flatMap((pod) => completionIndexOf(pod) ?? []));
}

function indexesIn(job: AnyJob, pods: readonly AnyPod[]): readonly number[] {
  return pods.flatMap((pod) => validIndexOf(job, pod) ?? []);
}

function failedIndexesOf(job: AnyJob, failedPods: readonly AnyPod[]): Indexes | undefined {
  const { backoffLimitPerIndex: limit, podFailurePolicy, completions = 0 } = job.spec;
  if (limit === undefined || !isIndexed(job)) return undefined;
  const final = failedPods.filter((pod) => {
    const { action, isCounted } = judgeFailure(podFailurePolicy, pod);
    return isTracked(pod) && (action === "FailIndex" || (isCounted && failuresBefore(pod).counted >= limit));
  });
  return union(
    indexesFromText(job.status?.failedIndexes ?? "", completions),
    indexesOf(indexesIn(job, final)),
  );
}

/** The last failed pod of each index that will get another. */
function lastFailures(
  job: AnyJob,
  failedPods: readonly AnyPod[],
  settled: Indexes,
): ReadonlyMap<number, AnyPod> {
  const last = new Map<number, AnyPod>();
  const total = (pod: AnyPod): number => failuresBefore(pod).counted + failuresBefore(pod).ignored;
  for (const pod of failedPods) {
    const index = validIndexOf(job, pod);
    if (index === undefined || hasIndex(settled, index)) continue;
    const before = last.get(index);
    const isLater =
      before === undefined || (total(before) <= total(pod) && finishedAt(before) <= finishedAt(pod));
    if (isLater) last.set(index, pod);
  }
  return last;
}
