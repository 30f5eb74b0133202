import { parseTime, type DeepReadonly } from "@kedge/machinery";
import type { Pod } from "@kedge/machinery/kinds/core/v1";

type AnyPod = DeepReadonly<Pod>;

/** Whether it has neither ended nor begun to go. */
export function isActive(pod: AnyPod): boolean {
  return !hasEnded(pod) && !isTerminating(pod);
}

/** Whether all its containers ended for good. */
export function hasEnded(pod: AnyPod): boolean {
  return pod.status?.phase === "Failed" || pod.status?.phase === "Succeeded";
}

/** Whether its deletion has begun. */
export function isTerminating(pod: AnyPod): boolean {
  return pod.metadata.deletionTimestamp !== undefined;
}

/** Whether it serves. */
export function isReady(pod: AnyPod): boolean {
  return readyCondition(pod)?.status === "True";
}

/** Since when it serves, in milliseconds; undefined when it does not, or does not say since when. */
export function readySince(pod: AnyPod): number | undefined {
  const condition = readyCondition(pod);
  if (condition?.status !== "True" || condition.lastTransitionTime === undefined) return undefined;
  return parseTime(condition.lastTransitionTime);
}

/** Milliseconds until it has been ready for so many seconds: 0 when it is available, undefined when it is not ready. */
export function untilAvailable(pod: AnyPod, minReadySeconds: number, now: number): number | undefined {
  if (!isReady(pod)) return undefined;
  if (minReadySeconds === 0) return 0;
  return Math.max(0, (readySince(pod) ?? now) + minReadySeconds * 1000 - now);
}

/** Milliseconds until the next of these pods is available by the passing of time alone; undefined when none will be. */
export function untilNextAvailable(
  pods: readonly AnyPod[],
  minReadySeconds: number,
  now: number,
): number | undefined {
  let next: number | undefined;
  for (const pod of pods) {
    const wait = untilAvailable(pod, minReadySeconds, now) ?? 0;
    if (wait > 0 && wait < (next ?? Infinity)) next = wait;
  }
  return next;
}

/** Whether it has been ready for so many seconds. */
export function isAvailable(pod: AnyPod, minReadySeconds: number, now: number): boolean {
  return untilAvailable(pod, minReadySeconds, now) === 0;
}

function readyCondition(pod: AnyPod) {
  return pod.status?.conditions?.find(({ type }) => type === "Ready");
}
