import type { CronJob, Job, PodFailurePolicyOnPodConditionsPattern } from "@kedge/machinery/kinds/batch/v1";
import type { Decoded } from "../../registry/decoded.ts";
import type { Defaulter } from "../normalize/normalize.ts";

/** Defaults of the group batch. */
export const batchDefaults: readonly (readonly [string, Defaulter])[] = [
  ["io.k8s.api.batch.v1.Job", setJob],
  ["io.k8s.api.batch.v1.CronJob", setCronJob],
  ["io.k8s.api.batch.v1.PodFailurePolicyOnPodConditionsPattern", setPattern],
];

function setJob(job: Decoded<Job>): void {
  const spec = (job.spec ??= {});
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : 2 ** 31 - 1;
  const metadata = (job.metadata ??= {});
  const labels = spec.template?.metadata?.labels;
  if (labels !== undefined && Object.keys(metadata.labels ?? {}).length === 0)
    // The same ones: what is added to those of the template is added to those of the job, as in Go.
    metadata.labels = labels;
  spec.completionMode ??= "NonIndexed";
  spec.suspend ??= false;
  spec.podReplacementPolicy ??= spec.podFailurePolicy === undefined ? "TerminatingOrFailed" : "Failed";
  spec.manualSelector ??= false;
}

function setCronJob(cronJob: Decoded<CronJob>): void {
  const spec = (cronJob.spec ??= {});
  spec.concurrencyPolicy ??= "Allow";
  spec.suspend ??= false;
  spec.successfulJobsHistoryLimit ??= 3;
  spec.failedJobsHistoryLimit ??= 1;
}

function setPattern(pattern: Decoded<PodFailurePolicyOnPodConditionsPattern>): void {
  pattern.status ??= "True";
}
