import type { CrashBackoff } from "../model/types.ts";

const firstDelayMs = 10_000;
const longestDelayMs = 300_000;
/** A container that ran this long starts with a clean slate. */
const forgottenAfterMs = 2 * longestDelayMs;

/**
 * When a container that ended may be started again: at once the first time, then after 10 s, doubled each time up to
 * five minutes, counted from its end.
 */
export function restartAt(backoff: CrashBackoff | undefined, finishedAt: number): number {
  if (backoff === undefined || isForgotten(backoff, finishedAt)) return finishedAt;
  return finishedAt + backoff.delayMs;
}

/** What the next restart will have to wait. */
export function raised(backoff: CrashBackoff | undefined, finishedAt: number, now: number): CrashBackoff {
  if (backoff === undefined || isForgotten(backoff, finishedAt))
    return { delayMs: firstDelayMs, raisedAt: now };
  return { delayMs: Math.min(longestDelayMs, backoff.delayMs * 2), raisedAt: now };
}

function isForgotten(backoff: CrashBackoff, finishedAt: number): boolean {
  return finishedAt - backoff.raisedAt > forgottenAfterMs;
}
