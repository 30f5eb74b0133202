import { parseTime, type DeepReadonly } from "@kedge/machinery";
import type { Job } from "@kedge/machinery/kinds/batch/v1";
import { finalConditionOf } from "../job/ending.ts";

/** Milliseconds until a finished job has been kept long enough; undefined when it is kept for good, or not finished. */
export function timeLeft({ metadata, spec, status }: DeepReadonly<Job>, now: number): number | undefined {
  const end = finalConditionOf(status?.conditions)?.lastTransitionTime;
  if (spec.ttlSecondsAfterFinished === undefined || end === undefined) return undefined;
  if (metadata.deletionTimestamp !== undefined) return undefined;
  return Math.max(0, parseTime(end) + spec.ttlSecondsAfterFinished * 1000 - now);
}
