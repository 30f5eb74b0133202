/** Wakes the one who waits. Rung while nobody waits, it is heard by the next who does. */
export class Bell {
  #isRung = false;
  #waiting: (() => void) | undefined;

  ring(): void {
    this.#isRung = true;
    this.#waiting?.();
  }

  /** Resolves when it is rung, or the signal aborts. */
  async wait(signal: AbortSignal): Promise<void> {
    if (!this.#isRung && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting = resolve;
      signal.addEventListener("abort", () => resolve(), { once: true });
      await promise;
      this.#waiting = undefined;
    }
    this.#isRung = false;
  }
}
