import { messageOf } from "@kedge/machinery";
import { StartError } from "./start-error.ts";
import type { StartFailure } from "../model/types.ts";

const firstPullRetryMs = 10_000;
const longestPullRetryMs = 300_000;
const firstRetryMs = 1_000;
const longestRetryMs = 60_000;

/** What a start that failed means for the next one. */
export function startFailure(error: unknown, before: StartFailure | undefined, now: number): StartFailure {
  const reason = error instanceof StartError ? error.reason : "CreateContainerError";
  const message = messageOf(error);
  const count = before?.reason === reason ? before.count + 1 : 1;
  const isPull = reason === "ErrImagePull";
  const [first, longest] = isPull ? [firstPullRetryMs, longestPullRetryMs] : [firstRetryMs, longestRetryMs];
  return { reason, message, count, failedAt: now, until: now + Math.min(longest, first * 2 ** (count - 1)) };
}
