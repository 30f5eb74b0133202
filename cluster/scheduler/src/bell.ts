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
      const wake = (): void => resolve();
      this.#waiting = wake;
      signal.addEventListener("abort", wake, { once: true });
      await promise;
      // The signal lives as long as the scheduler: what stays on it is never freed, and each next one is compared with it.
      signal.removeEventListener("abort", wake);
      this.#waiting = undefined;
    }
    this.#isRung = false;
  }
}
