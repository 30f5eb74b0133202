import type { DeepReadonly } from "@kedge/machinery";
import type { Pod } from "@kedge/machinery/kinds/core/v1";
import { failuresBefore, finishedAt } from "./job-pod.ts";

type AnyPod = DeepReadonly<Pod>;

/** How often pods of a job have failed since one succeeded, and when last. */
export interface Backoff {
  readonly failures: number;
  /** Milliseconds; matters only when there are failures. */
  readonly lastFailure: number;
}

/** Nothing has failed. */
export const noBackoff: Backoff = { failures: 0, lastFailure: 0 };

/** The pause after the first failure, in milliseconds; each further one doubles it. */
const firstPause = 10_000;
const longestPause = 600_000;

/** The back-off after some more pods have ended. */
export function nextBackoff(
  before: Backoff,
  ended: { readonly succeeded: readonly AnyPod[]; readonly failed: readonly AnyPod[] },
): Backoff {
  const failures = ended.failed.map(finishedAt);
  if (ended.succeeded.length === 0) {
    if (failures.length === 0) return before;
    return { failures: before.failures + failures.length, lastFailure: Math.max(...failures) };
  }
  const lastSuccess = Math.max(...ended.succeeded.map(finishedAt));
  const since = failures.filter((time) => time > lastSuccess);
  return since.length === 0 ? noBackoff : { failures: since.length, lastFailure: Math.max(...since) };
}

/** Milliseconds until pods may be made again. */
export function untilNextPod({ failures, lastFailure }: Backoff, now: number): number {
  if (failures === 0) return 0;
  const pause = Math.min(firstPause * 2 ** (failures - 1), longestPause);
  return Math.max(0, lastFailure + pause - now);
}

/** Milliseconds until the pod that failed may be replaced, where each index counts by itself. */
export function untilReplaced(failed: AnyPod | undefined, now: number): number {
  if (failed === undefined) return 0;
  const { counted, ignored } = failuresBefore(failed);
  return untilNextPod({ failures: counted + ignored + 1, lastFailure: finishedAt(failed) }, now);
}
