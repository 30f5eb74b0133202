import { parseTime, type DeepReadonly } from "@kedge/machinery";
import type { Job, JobCondition } from "@kedge/machinery/kinds/batch/v1";
import type { Pod } from "@kedge/machinery/kinds/core/v1";
import type { JobFacts, JobView } from "./facts.ts";
import { judgeFailure } from "./failure-policy.ts";
import { countOf } from "./indexes.ts";
import { isFailed, isIndexed } from "./job-pod.ts";
import { successRuleMet } from "./success-policy.ts";

type AnyJob = DeepReadonly<Job>;

/** How a job is about to end. Its pods go first; only then is it Complete or Failed, for the same reason. */
export interface Ending {
  readonly type: "SuccessCriteriaMet" | "FailureTarget";
  readonly reason: string;
  readonly message: string;
}

/** The end that the job's limits and policies ask for, apart from having enough successes. What was told before stays. */
export function endingOf(view: JobView, facts: JobFacts): Ending | undefined {
  const { job } = view;
  return (
    toldEnding(job) ?? failureOf(view, facts) ?? indexFailureOf(job, facts) ?? successByPolicy(job, facts)
  );
}

/** The end of a job with as many successes as it wants. */
export const completionsReached: Ending = {
  type: "SuccessCriteriaMet",
  reason: "CompletionsReached",
  message: "Reached expected number of succeeded pods",
};

/** Whether it is over: nothing is done for it any more. */
export function isFinished({ status }: AnyJob): boolean {
  return finalConditionOf(status?.conditions) !== undefined;
}

/** The condition that says that a job is over, and how. */
export function finalConditionOf(
  conditions: readonly DeepReadonly<JobCondition>[] = [],
): DeepReadonly<JobCondition> | undefined {
  return conditions.find(
    ({ type, status }) => (type === "Complete" || type === "Failed") && status === "True",
  );
}

/** Milliseconds until the job has run for too long; undefined when there is no limit, or it does not run. */
export function untilDeadline(job: AnyJob, startTime: string | undefined, now: number): number | undefined {
  const { activeDeadlineSeconds: limit, suspend } = job.spec;
  if (limit === undefined || startTime === undefined || suspend === true) return undefined;
  return Math.max(0, parseTime(startTime) + limit * 1000 - now);
}

function toldEnding({ status }: AnyJob): Ending | undefined {
  for (const type of ["SuccessCriteriaMet", "FailureTarget"] as const) {
    const told = status?.conditions?.find(
      (condition) => condition.type === type && condition.status === "True",
    );
    if (told !== undefined) return { type, reason: told.reason ?? "", message: told.message ?? "" };
  }
  return undefined;
}

function failureOf({ job, pods, now }: JobView, facts: JobFacts): Ending | undefined {
  const byPolicy = pods
    .filter((pod) => isFailed(job, pod))
    .map((pod) => judgeFailure(job.spec.podFailurePolicy, pod).jobFailure)
    .find((message) => message !== undefined);
  if (byPolicy !== undefined) return failure("PodFailurePolicy", byPolicy);
  if (facts.failed > (job.spec.backoffLimit ?? 6) || hasRestartedTooOften(job, pods)) {
    return failure("BackoffLimitExceeded", "Job has reached the specified backoff limit");
  }
  if (untilDeadline(job, job.status?.startTime, now) === 0) {
    return failure("DeadlineExceeded", "Job was active longer than specified deadline");
  }
  return undefined;
}

function indexFailureOf(job: AnyJob, { failedIndexes, succeededIndexes }: JobFacts): Ending | undefined {
  const { maxFailedIndexes, completions = 0 } = job.spec;
  const failed = countOf(failedIndexes ?? []);
  if (failed > (maxFailedIndexes ?? Infinity)) {
    return failure(
      "MaxFailedIndexesExceeded",
      "Job has exceeded the specified maximal number of failed indexes",
    );
  }
  if (failed > 0 && failed + countOf(succeededIndexes) >= completions) {
    return failure("FailedIndexes", "Job has failed indexes");
  }
  return undefined;
}

function successByPolicy(job: AnyJob, { succeededIndexes }: JobFacts): Ending | undefined {
  const message = isIndexed(job) ? successRuleMet(job.spec, succeededIndexes) : undefined;
  return message === undefined ? undefined : { type: "SuccessCriteriaMet", reason: "SuccessPolicy", message };
}

/** Where containers are restarted in their pods, each restart is a failure. */
function hasRestartedTooOften({ spec }: AnyJob, pods: readonly DeepReadonly<Pod>[]): boolean {
  if (spec.template.spec?.restartPolicy !== "OnFailure") return false;
  const restarts = pods
    .filter(({ status }) => status?.phase === "Running" || status?.phase === "Pending")
    .flatMap(({ status }) => [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])])
    .reduce((sum, { restartCount }) => sum + restartCount, 0);
  return restarts >= Math.max(1, spec.backoffLimit ?? 6);
}

function failure(reason: string, message: string): Ending {
  return { type: "FailureTarget", reason, message };
}
