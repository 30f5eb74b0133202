/** Something that happens once, or never will, and that many may wait for. */
export class Switch {
  readonly #outcome = Promise.withResolvers<void>();
  #isOn = false;

  constructor() {
    // Nobody may be waiting when it fails.
    this.#outcome.promise.catch(() => undefined);
  }

  get isOn(): boolean {
    return this.#isOn;
  }

  turnOn(): void {
    this.#isOn = true;
    this.#outcome.resolve();
  }

  /** It will not be turned on any more: who waits is told why. Does nothing when it is on. */
  fail(why: Error): void {
    this.#outcome.reject(why);
  }

  /** Resolves when it is on; rejects with the signal's reason. */
  async wait(signal?: AbortSignal): Promise<void> {
    if (this.#isOn) return;
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onAbort = (): void => reject(signal?.reason);
    signal?.addEventListener("abort", onAbort, { once: true });
    this.#outcome.promise.then(resolve, reject);
    try {
      await promise;
    } finally {
      signal?.removeEventListener("abort", onAbort);
    }
  }
}
