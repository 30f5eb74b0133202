import type { Clock, Timer } from "@kedge/machinery";

interface WatchedRun {
  readonly key: string;
  /** On the monotonic clock. */
  readonly dueAt: number;
  readonly leave: () => void;
}

/** Lets workers go on without runs that do not end. One timer for all of them: nearly all end in time. */
export class OverdueRuns {
  readonly #clock: Clock;
  readonly #limitMs: number;
  readonly #onLeft: (key: string) => void;
  /** In the order in which they are due: all have the same limit. */
  readonly #watched = new Set<WatchedRun>();
  #timer: Timer | undefined;

  constructor(clock: Clock, limitMs: number, onLeft: (key: string) => void) {
    this.#clock = clock;
    this.#limitMs = limitMs;
    this.#onLeft = onLeft;
  }

  /** Resolves when the run has ended, or has taken longer than the limit. */
  async endOf(run: Promise<void>, key: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const watched = { key, dueAt: this.#clock.monotonic() + this.#limitMs, leave: resolve };
    this.#watched.add(watched);
    this.#timer ??= this.#clock.timer(this.#limitMs, () => this.#look());
    run.then(resolve, resolve);
    await promise;
    this.#watched.delete(watched);
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #look(): void {
    this.#timer = undefined;
    const now = this.#clock.monotonic();
    for (const watched of this.#watched) {
      if (watched.dueAt > now) {
        this.#timer = this.#clock.timer(watched.dueAt - now, () => this.#look());
        return;
      }
      this.#watched.delete(watched);
      this.#onLeft(watched.key);
      watched.leave();
    }
  }
}
