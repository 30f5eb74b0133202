import type { PodTrouble } from "@kedge/runtime";
import type { Observed } from "../observe.ts";
import { rolloutOf } from "./rollout.ts";

/**
 * Why pods are not even made. A StatefulSet says so in events alone: one counts while pods are missing and none was made
 * after it.
 */
export function creationTrouble({
  statefulSet,
  pods,
  failedCreations,
}: Pick<Observed, "statefulSet" | "pods" | "failedCreations">): PodTrouble | undefined {
  if (statefulSet === undefined || pods.length >= rolloutOf(statefulSet, pods).wanted) return undefined;
  const newestPod = Math.max(0, ...pods.map(({ metadata }) => Date.parse(metadata.creationTimestamp)));
  const [newest] = failedCreations
    .filter(({ involvedObject }) => involvedObject.uid === statefulSet.metadata.uid)
    .map(({ lastTimestamp, metadata, message = "" }) => ({
      time: Date.parse(lastTimestamp ?? metadata.creationTimestamp),
      message,
    }))
    .filter(({ time }) => time >= newestPod)
    .toSorted((one, other) => other.time - one.time);
  return newest === undefined
    ? undefined
    : { reason: "FailedCreate", message: `a pod cannot be made: ${newest.message}`, isWarning: true };
}
