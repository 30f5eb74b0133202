import type { Clock, Deadline } from "./clock.ts";
import { DeadlineError } from "./deadline-error.ts";

/** How a clock starts a timer: all that `sleepOn` and `deadlineOn` need of it. */
export type StartTimer = Clock["timer"];

/** `Clock.sleep` for any clock that has timers. */
export async function sleepOn(startTimer: StartTimer, ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  const { promise, resolve } = Promise.withResolvers<void>();
  let wasAborted = false;
  const onAbort = (): void => {
    wasAborted = true;
    timer.cancel();
    resolve();
  };
  const timer = startTimer(ms, () => {
    signal?.removeEventListener("abort", onAbort);
    resolve();
  });
  signal?.addEventListener("abort", onAbort, { once: true });
  await promise;
  if (wasAborted) signal?.throwIfAborted();
}

/** `Clock.deadline` for any clock that has timers. */
export function deadlineOn(startTimer: StartTimer, ms: number, parent?: AbortSignal): Deadline {
  const controller = new AbortController();
  const release = (): void => {
    timer.cancel();
    parent?.removeEventListener("abort", onParentAbort);
  };
  const onParentAbort = (): void => {
    release();
    controller.abort(parent?.reason);
  };
  const timer = startTimer(ms, () => {
    release();
    controller.abort(new DeadlineError(ms));
  });
  if (parent?.aborted === true) onParentAbort();
  else parent?.addEventListener("abort", onParentAbort, { once: true });
  return { signal: controller.signal, [Symbol.dispose]: release };
}
