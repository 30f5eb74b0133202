import { formatTime, uid } from "@kedge/machinery";
import type { Job } from "@kedge/machinery/kinds/batch/v1";
import type { Pod } from "@kedge/machinery/kinds/core/v1";
import { completionIndexKey, indexFailureCount, trackingFinalizer } from "../job/job-pod.ts";
import { ago, now, pod, stored, type PodSetup } from "./builders.ts";

/** The job `work`, as it is when its defaults are set. */
export function job(spec: Partial<Job["spec"]> = {}, status: Job["status"] = {}): Job {
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: stored("work", { generation: 1 }),
    spec: {
      parallelism: 1,
      ...(spec.parallelism === undefined ? { completions: 1 } : {}),
      backoffLimit: 6,
      completionMode: "NonIndexed",
      suspend: false,
      podReplacementPolicy: spec.podFailurePolicy === undefined ? "TerminatingOrFailed" : "Failed",
      selector: { matchLabels: { job: "work" } },
      template: {
        metadata: { labels: { job: "work" } },
        spec: { restartPolicy: "Never", containers: [{ name: "main", image: "main:1" }] },
      },
      ...spec,
    },
    status: { startTime: ago(60), ready: 0, terminating: 0, uncountedTerminatedPods: {}, ...status },
  };
}

/** How a pod of a job is. */
export interface JobPodSetup extends PodSetup {
  readonly index?: number;
  /** How often its index has failed before it. */
  readonly failures?: number;
  readonly exitCode?: number;
  /** How many seconds ago it ended. */
  readonly ended?: number;
  /** Its end is counted: it has no finalizer any more. */
  readonly counted?: boolean;
  readonly condition?: string;
}

/** A pod of the job `work`. */
export function jobPod(name: string, setup: JobPodSetup = {}): Pod {
  const { index, failures, exitCode, ended = 3600, counted = false, condition } = setup;
  const made = pod(name, setup);
  return {
    ...made,
    metadata: {
      ...made.metadata,
      uid: uid(name),
      ...(counted ? {} : { finalizers: [trackingFinalizer] }),
      annotations: {
        ...(index === undefined ? {} : { [completionIndexKey]: String(index) }),
        ...(failures === undefined ? {} : { [indexFailureCount]: String(failures) }),
      },
    },
    status: {
      ...made.status,
      ...(condition === undefined ? {} : { conditions: [{ type: condition, status: "True" }] }),
      containerStatuses: (made.status?.containerStatuses ?? []).map((status) => ({
        ...status,
        ...(exitCode === undefined
          ? {}
          : { state: { terminated: { exitCode, finishedAt: formatTime(now - ended * 1000) } } }),
      })),
    },
  };
}

/** Pods that have ended well or badly. */
export const succeeded = (name: string, setup: JobPodSetup = {}): Pod =>
  jobPod(name, { phase: "Succeeded", exitCode: 0, ...setup });
export const failed = (name: string, setup: JobPodSetup = {}): Pod =>
  jobPod(name, { phase: "Failed", exitCode: 1, ...setup });
