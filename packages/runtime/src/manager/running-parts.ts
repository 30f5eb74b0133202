import type { Clock, Logger } from "@kedge/machinery";

/** Parts that run side by side, are stopped together, and of which one that fails is the failure of all. */
export class RunningParts {
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #stop = new AbortController();
  readonly #running = new Map<string, Promise<void>>();
  readonly #failed = Promise.withResolvers<never>();

  constructor(clock: Clock, logger: Logger) {
    this.#clock = clock;
    this.#logger = logger;
    // Who waits for it is told; when nobody does any more, it was logged.
    this.#failed.promise.catch(() => undefined);
  }

  /** Rejects with the error of the first part that fails. */
  get failed(): Promise<never> {
    return this.#failed.promise;
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  start(name: string, run: (signal: AbortSignal) => Promise<void>): void {
    this.#running.set(name, this.#runOne(name, run));
  }

  /** Ends all of them, and waits until that time of `Clock.monotonic()`. */
  async stop(until: number): Promise<void> {
    this.#stop.abort();
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = this.#clock.timer(until - this.#clock.monotonic(), resolve);
    await Promise.race([Promise.all(this.#running.values()), promise]);
    timer.cancel();
    if (this.#running.size === 0) return;
    this.#logger.error("Some parts did not end in time and were left behind", {
      parts: [...this.#running.keys()],
    });
  }

  async #runOne(name: string, run: (signal: AbortSignal) => Promise<void>): Promise<void> {
    try {
      // Not in the caller's turn: what throws at once fails like what throws later.
      await Promise.resolve().then(() => run(this.#stop.signal));
    } catch (error) {
      if (this.#stop.signal.aborted) {
        this.#logger.debug("A part was cut off by the end", { part: name, error });
      } else {
        this.#logger.error("A part failed", { part: name, error });
        this.#failed.reject(error);
      }
    } finally {
      this.#running.delete(name);
    }
  }
}
