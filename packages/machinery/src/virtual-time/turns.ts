import { macrotask } from "../ambient.ts";
import { inBackground } from "../in-background.ts";
import type { Clock } from "../time/clock.ts";

/**
 * Long work in slices. Who waits for a turn lets the event loop go round first, and however many wait, it goes round
 * between any two of them: ten long answers hold up a short one no longer than one does.
 */
export class Turns {
  readonly #clock: Clock;
  readonly #waiting: (() => void)[] = [];
  #isRunning = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves when it is the caller's turn. */
  next(): Promise<void> {
    const turn = new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
    });
    // What it calls only resolves promises: it cannot fail.
    if (!this.#isRunning) inBackground(this.#run(), () => undefined);
    return this.#clock.track(turn);
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      await macrotask();
      this.#waiting.shift()?.();
    }
    this.#isRunning = false;
  }
}
