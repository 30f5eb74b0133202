import { abortFailure } from "../failures.ts";

/** One run of a job that several callers wait for. It is aborted when the last of them has left. */
export class SharedRun<T> {
  readonly #what: string;
  readonly #abandon = new AbortController();
  readonly #result: Promise<T>;
  #waiting = 0;

  constructor(what: string, job: (signal: AbortSignal) => Promise<T>) {
    this.#what = what;
    this.#result = job(this.#abandon.signal);
  }

  /** True when nobody waits any more: a new caller must start a run of its own. */
  get isAbandoned(): boolean {
    return this.#abandon.signal.aborted;
  }

  /** Waits for the result, or until the caller's own signal is aborted. */
  async join(signal?: AbortSignal): Promise<T> {
    const left = Promise.withResolvers<never>();
    const leave = (): void => {
      if (signal !== undefined) left.reject(abortFailure(signal, this.#what));
    };
    this.#waiting += 1;
    signal?.addEventListener("abort", leave, { once: true });
    if (signal?.aborted === true) leave();
    try {
      return await Promise.race([left.promise, this.#result]);
    } finally {
      signal?.removeEventListener("abort", leave);
      this.#waiting -= 1;
      if (this.#waiting === 0) this.#abandon.abort();
    }
  }
}
