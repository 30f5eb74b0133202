import { keyToString, type Clock, type Logger, type ObjectKey, type Random } from "@kedge/machinery";
import { RetryPause } from "../informer/retry-pause.ts";
import type { Queue } from "../queue/types.ts";

/** Asks for a run over an object, for a reason that no watch tells of: `connection lost`. */
export type Enqueue = (key: ObjectKey, reason: string) => void;

/**
 * Something outside of Kubernetes that knows when an object should be looked at. Runs until its signal aborts; when it
 * fails or ends before that, it is started again, after 0.8 to 60 s.
 */
export type Source = (enqueue: Enqueue, signal: AbortSignal) => Promise<void>;

/** What running a source takes. */
export interface SourceOptions {
  readonly queue: Queue;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** One that lived this long was a success, however it ended. */
const healthyMs = 60_000;

/** Runs a source until the signal aborts. */
export async function runSource(source: Source, options: SourceOptions, signal: AbortSignal): Promise<void> {
  const { queue, clock, random, logger } = options;
  const pause = new RetryPause(random);
  const enqueue: Enqueue = (key, reason) =>
    queue.add(keyToString(key), { priority: "child-change", source: "outside", reason });
  while (!signal.aborted) {
    const begin = clock.monotonic();
    let error: unknown;
    try {
      await source(enqueue, signal);
    } catch (thrown) {
      error = thrown;
    }
    if (signal.aborted) return;
    if (clock.monotonic() - begin >= healthyMs) pause.reset();
    const retryMs = Math.round(pause.next());
    if (error === undefined) logger.warn("A source has ended; it is started again", { retryMs });
    else logger.error("A source failed; it is started again", { retryMs, error });
    await clock.sleep(retryMs, signal).catch(() => undefined);
  }
}
