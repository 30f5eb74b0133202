import {
  keyToString,
  type Clock,
  type Logger,
  type ObjectKey,
  type Random,
  type Timer,
} from "@kedge/machinery";
import { RetryPause } from "../informer/retry-pause.ts";
import type { Queue } from "../queue/types.ts";

/** Asks for a run over an object, for a reason that no watch tells of: `connection lost`. */
export type Enqueue = (key: ObjectKey, reason: string) => void;

/**
 * Something outside of Kubernetes that knows when an object should be looked at. Runs until its signal aborts; when it
 * fails or ends before that, it is started again, after 0.8 to 60 s. When it has not ended 5 s after its signal, nobody
 * waits for it any longer.
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
/** How long one may take to end. It only asks for runs, and none begins any more: there is nothing to wait for. */
const endMs = 5000;

/** Runs a source until the signal aborts. */
export async function runSource(source: Source, options: SourceOptions, signal: AbortSignal): Promise<void> {
  const { queue, clock, random, logger } = options;
  const pause = new RetryPause(random);
  const enqueue: Enqueue = (key, reason) =>
    queue.add(keyToString(key), { priority: "child-change", source: "outside", reason });
  while (!signal.aborted) {
    const begin = clock.monotonic();
    const error = await failureOfOne(() => source(enqueue, signal), options, signal);
    if (signal.aborted) return;
    if (clock.monotonic() - begin >= healthyMs) pause.reset();
    const retryMs = Math.round(pause.next());
    if (error === undefined) logger.warn("A source has ended; it is started again", { retryMs });
    else logger.error("A source failed; it is started again", { retryMs, error });
    await clock.sleep(retryMs, signal).catch(() => undefined);
  }
}

/** Runs it once, until it ends or is left behind, and hands over what it threw. */
async function failureOfOne(
  run: () => Promise<void>,
  { clock, logger }: SourceOptions,
  signal: AbortSignal,
): Promise<unknown> {
  const leftBehind = Promise.withResolvers<void>();
  let timer: Timer | undefined;
  const onAbort = (): void => {
    timer = clock.timer(endMs, () => {
      logger.error("A source did not end when it was told to, and is left behind", { waitedMs: endMs });
      leftBehind.resolve();
    });
  };
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    await Promise.race([run(), leftBehind.promise]);
    return undefined;
  } catch (error) {
    return error;
  } finally {
    signal.removeEventListener("abort", onAbort);
    timer?.cancel();
  }
}
