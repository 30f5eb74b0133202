import type { Clock, Timer } from "@kedge/machinery";

/** A bell that a loop sleeps on: rung any number of times while nobody listens, it wakes the loop once. */
export class WakeUp {
  readonly #clock: Clock;
  #rung = false;
  #listener: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether it was rung while nobody waited. */
  get isRung(): boolean {
    return this.#rung;
  }

  ring(): void {
    this.#rung = true;
    this.#listener?.();
  }

  /** Resolves when it was rung, when the time has come (milliseconds since 1970), or when the signal aborts. */
  async wait(until: number | undefined, signal: AbortSignal): Promise<void> {
    if (this.#rung || signal.aborted) {
      this.#rung = false;
      return;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = (): void => resolve();
    this.#listener = wake;
    signal.addEventListener("abort", wake, { once: true });
    const timer: Timer | undefined =
      until === undefined ? undefined : this.#clock.timer(Math.max(1, until - this.#clock.now()), wake);
    await promise;
    timer?.cancel();
    signal.removeEventListener("abort", wake);
    this.#listener = undefined;
    this.#rung = false;
  }
}
