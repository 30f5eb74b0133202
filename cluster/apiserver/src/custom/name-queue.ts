import type { Clock, Logger, Timer } from "@kedge/machinery";

/** What a queue works with. */
export interface NameQueueOptions {
  readonly reconcile: (name: string) => Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** After a failure a name is tried again this much later, in milliseconds. */
const retryAfter = 1000;

/** Reconciles names one after the other; a name that waits already is not added again. */
export class NameQueue {
  readonly #options: NameQueueOptions;
  readonly #waiting = new Set<string>();
  readonly #retries = new Map<string, Timer>();
  #running: Promise<void> | undefined;
  #stopped = false;

  constructor(options: NameQueueOptions) {
    this.#options = options;
  }

  add(name: string): void {
    if (this.#stopped) return;
    this.#waiting.add(name);
    this.#running ??= this.#run();
  }

  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  stop(): void {
    this.#stopped = true;
    this.#waiting.clear();
    for (const timer of this.#retries.values()) timer.cancel();
    this.#retries.clear();
  }

  async #run(): Promise<void> {
    // Not at once: who adds several names adds all of them first.
    await Promise.resolve();
    for (;;) {
      const [name] = this.#waiting;
      if (name === undefined) break;
      this.#waiting.delete(name);
      await this.#reconcile(name);
    }
    this.#running = undefined;
  }

  async #reconcile(name: string): Promise<void> {
    const { reconcile, clock, logger } = this.#options;
    try {
      await reconcile(name);
    } catch (error) {
      if (this.#stopped) return;
      logger.error("A custom resource definition could not be reconciled; trying again", { name, error });
      this.#retries.get(name)?.cancel();
      this.#retries.set(
        name,
        clock.timer(retryAfter, () => this.add(name)),
      );
    }
  }
}
