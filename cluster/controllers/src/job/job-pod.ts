import { parseTime, type DeepReadonly } from "@kedge/machinery";
import type { Job } from "@kedge/machinery/kinds/batch/v1";
import type { ContainerStatus, Pod } from "@kedge/machinery/kinds/core/v1";
import { isTerminating } from "../pods/pod-state.ts";

type AnyPod = DeepReadonly<Pod>;
type AnyJob = DeepReadonly<Job>;

/** Keeps a pod until its end has been counted. */
export const trackingFinalizer = "batch.kubernetes.io/job-tracking";
/** Which of an indexed job's completions a pod is for: an annotation and a label. */
export const completionIndexKey = "batch.kubernetes.io/job-completion-index";
/** How often the index has failed before this pod. */
export const indexFailureCount = "batch.kubernetes.io/job-index-failure-count";
/** How often the index has failed before this pod without being counted. */
export const indexIgnoredFailureCount = "batch.kubernetes.io/job-index-ignored-failure-count";

/** Whether its end has not been counted yet. */
export function isTracked({ metadata }: AnyPod): boolean {
  return metadata.finalizers?.includes(trackingFinalizer) === true;
}

/** Which completion it is for; undefined when it does not say. */
export function completionIndexOf({ metadata }: AnyPod): number | undefined {
  return wholeNumber(metadata.annotations?.[completionIndexKey]);
}

/** Which completion it is for, if the job still has that many. */
export function validIndexOf(job: AnyJob, pod: AnyPod): number | undefined {
  const index = completionIndexOf(pod);
  return index !== undefined && index < (job.spec.completions ?? 0) ? index : undefined;
}

/** Whether completions have indexes. */
export function isIndexed({ spec }: AnyJob): boolean {
  return spec.completionMode === "Indexed";
}

/** Whether a pod is replaced only when it has ended, not when it begins to go. */
export function replacesOnlyFailed({ spec }: AnyJob): boolean {
  return spec.podReplacementPolicy === "Failed" || spec.podFailurePolicy !== undefined;
}

/** Whether it counts as failed. A pod that goes may never get to say so. */
export function isFailed(job: AnyJob, pod: AnyPod): boolean {
  if (pod.status?.phase === "Failed") return true;
  return !replacesOnlyFailed(job) && isTerminating(pod) && pod.status?.phase !== "Succeeded";
}

/** Failures of the pod's index before it: those that count, and those that do not. */
export function failuresBefore({ metadata }: AnyPod): { readonly counted: number; readonly ignored: number } {
  return {
    counted: wholeNumber(metadata.annotations?.[indexFailureCount]) ?? 0,
    ignored: wholeNumber(metadata.annotations?.[indexIgnoredFailureCount]) ?? 0,
  };
}

/** When it ended, in milliseconds: as its containers say, else as near as is known. */
export function finishedAt(pod: AnyPod): number {
  const { metadata, status } = pod;
  const byContainers = lastFinish(pod);
  if (byContainers !== undefined) return byContainers;
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  if (ready?.status === "False" && ready.lastTransitionTime !== undefined) {
    return parseTime(ready.lastTransitionTime);
  }
  if (metadata.deletionTimestamp !== undefined) {
    return parseTime(metadata.deletionTimestamp) - (metadata.deletionGracePeriodSeconds ?? 0) * 1000;
  }
  return parseTime(metadata.creationTimestamp);
}

/** When the last of its containers ended, sidecars too; undefined while one of them runs. */
function lastFinish({ spec, status }: AnyPod): number | undefined {
  const sidecars = new Set(
    (spec.initContainers ?? [])
      .filter(({ restartPolicy }) => restartPolicy === "Always")
      .map(({ name }) => name),
  );
  const sidecarStatuses = (status?.initContainerStatuses ?? []).filter(({ name }) => sidecars.has(name));
  const finishes = [...(status?.containerStatuses ?? []), ...sidecarStatuses].map(finishOf);
  return finishes.length === 0 || finishes.includes(undefined)
    ? undefined
    : Math.max(...finishes.map(Number));
}

function finishOf({ state }: DeepReadonly<ContainerStatus>): number | undefined {
  const time = state?.terminated?.finishedAt;
  return time === undefined || time === null ? undefined : parseTime(time);
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,10}$/u.test(text) && Number(text) < 2 ** 31 ? Number(text) : undefined;
}
