import { abortFailure } from "../failures.ts";

/** Waits for work, but no longer than the signal allows. The work itself goes on. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined, what: string): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(abortFailure(signal, what));
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
    // Also when nobody waits any more: a later failure of the work must not count as unhandled.
    void work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
