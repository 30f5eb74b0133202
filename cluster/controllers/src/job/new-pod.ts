import { withTypeMeta, type DeepReadonly, type Draft } from "@kedge/machinery";
import { Job } from "@kedge/machinery/kinds/batch/v1";
import type { Container, Pod } from "@kedge/machinery/kinds/core/v1";
import { podFromTemplate } from "../pods/pod-from-template.ts";
import { judgeFailure } from "./failure-policy.ts";
import {
  completionIndexKey,
  failuresBefore,
  indexFailureCount,
  indexIgnoredFailureCount,
  isIndexed,
  trackingFinalizer,
} from "./job-pod.ts";

/** A pod to be made. */
export interface NewPod {
  /** Of an indexed job: which completion it is for. */
  readonly index?: number;
  /** The failed pod of the same index that it replaces, where each index counts its failures. */
  readonly replaces?: DeepReadonly<Pod> | undefined;
}

/** What a generated name may be long before its random ending. */
const longestPrefix = 58;

/** A pod of a job as it is sent. */
export function podOfJob(job: DeepReadonly<Job>, { index, replaces }: NewPod): Draft<Pod> {
  const { name } = job.metadata;
  const owner = withTypeMeta(Job, job);
  const ending = index === undefined ? "-" : `-${index}-`;
  const generateName =
    index === undefined ? `${name}-` : `${name.slice(0, longestPrefix - ending.length)}${ending}`;
  const pod = podFromTemplate(job.spec.template, owner, { generateName });
  const { metadata, spec } = pod;
  const { finalizers = [] } = metadata;
  metadata.finalizers = finalizers.includes(trackingFinalizer)
    ? finalizers
    : [...finalizers, trackingFinalizer];
  if (!isIndexed(job)) return pod;
  for (const container of [...(spec.initContainers ?? []), ...spec.containers]) addIndexVariable(container);
  if (index === undefined) return pod;
  metadata.labels[completionIndexKey] = String(index);
  metadata.annotations = {
    ...metadata.annotations,
    [completionIndexKey]: String(index),
    ...(job.spec.backoffLimitPerIndex === undefined ? {} : failureAnnotations(job, replaces)),
  };
  spec.hostname = `${name}-${index}`;
  return pod;
}

function addIndexVariable(container: Container): void {
  const env = (container.env ??= []);
  if (env.some(({ name }) => name === "JOB_COMPLETION_INDEX")) return;
  const fieldPath = `metadata.labels['${completionIndexKey}']`;
  env.push({ name: "JOB_COMPLETION_INDEX", valueFrom: { fieldRef: { fieldPath } } });
}

/** What the index has failed so far, so that it outlives the pods that failed. */
function failureAnnotations(
  { spec }: DeepReadonly<Job>,
  replaces: DeepReadonly<Pod> | undefined,
): Record<string, string> {
  if (replaces === undefined) return { [indexFailureCount]: "0" };
  const { isCounted } = judgeFailure(spec.podFailurePolicy, replaces);
  const { counted, ignored } = failuresBefore(replaces);
  const nowIgnored = ignored + (isCounted ? 0 : 1);
  return {
    [indexFailureCount]: String(counted + (isCounted ? 1 : 0)),
    ...(nowIgnored > 0 ? { [indexIgnoredFailureCount]: String(nowIgnored) } : {}),
  };
}
