import { parseTime } from "@kedge/machinery";
import type { PodInfo } from "../view/pod-info.ts";

/** Orders pods, the most important first: by priority, then by how long they run. */
export function byImportance(now: number): (one: PodInfo, other: PodInfo) => number {
  return (one, other) =>
    one.priority === other.priority
      ? startTimeOf(one, now) - startTimeOf(other, now)
      : other.priority - one.priority;
}

/** When a pod began, in milliseconds; one that has not yet begins now. */
export function startTimeOf({ pod }: PodInfo, now: number): number {
  const { startTime } = pod.status ?? {};
  return startTime === undefined ? now : parseTime(startTime);
}
