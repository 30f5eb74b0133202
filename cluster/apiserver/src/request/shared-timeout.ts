import type { Clock, Timer } from "@kedge/machinery";

interface Wait {
  readonly due: number;
  readonly onTimeout: () => void;
}

/** Many waits of the same length on one timer: what began first is due first. A timer for each request costs more. */
export class SharedTimeout {
  readonly #clock: Clock;
  readonly #ms: number;
  /** In the order in which they began. */
  readonly #waits = new Set<Wait>();
  #timer: Timer | undefined;

  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
  }

  /** Calls `onTimeout` when the time is up, unless the function that it returns was called before. */
  begin(onTimeout: () => void): () => void {
    const wait = { due: this.#clock.monotonic() + this.#ms, onTimeout };
    this.#waits.add(wait);
    this.#timer ??= this.#clock.timer(this.#ms, () => this.#fire());
    return () => this.#waits.delete(wait);
  }

  /** Waits for nothing any more. */
  close(): void {
    this.#waits.clear();
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #fire(): void {
    this.#timer = undefined;
    const now = this.#clock.monotonic();
    for (const wait of this.#waits) {
      if (wait.due > now) {
        this.#timer = this.#clock.timer(wait.due - now, () => this.#fire());
        return;
      }
      this.#waits.delete(wait);
      wait.onTimeout();
    }
  }
}
