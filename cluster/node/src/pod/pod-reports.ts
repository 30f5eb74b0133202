import { inBackground, type Clock } from "@kedge/machinery";

/** After a failure, a report is tried again after this long, doubled up to the second number. */
const retryMs = [1_000, 30_000] as const;

/** What the reports of one pod are told. */
export interface PodReportsOptions {
  readonly clock: Clock;
  /** A report has ended, and there is more to say, or it must be said again. */
  readonly onNews: () => void;
  readonly onFailure: (error: unknown) => void;
}

/**
 * The reports of one pod: one at a time, beside the work on the pod. What happens while one is under way is said by the
 * next, all at once: so a pod that comes up fast costs two writes, not one for each step.
 */
export class PodReports {
  readonly #options: PodReportsOptions;
  #sending: Promise<void> | undefined;
  #hasNews = false;
  #failures = 0;
  #failure: Error | undefined;
  #retryAt: number | undefined;

  constructor(options: PodReportsOptions) {
    this.#options = options;
  }

  /** Whether one may be sent now. If not, `onNews` or `retryAt` says when. */
  mayBegin(): boolean {
    if (this.#sending !== undefined) this.#hasNews = true;
    const isDue = this.#retryAt === undefined || this.#options.clock.now() >= this.#retryAt;
    return this.#sending === undefined && isDue;
  }

  /** When one that failed is due again. Milliseconds since 1970. */
  get retryAt(): number | undefined {
    return this.#retryAt;
  }

  /** The server answers: what failed need not wait. */
  hurry(): void {
    this.#retryAt = undefined;
    this.#failure = undefined;
  }

  /** Sends one; the caller goes on. */
  begin(send: () => Promise<void>): void {
    this.#sending = this.#send(send);
    inBackground(this.#sending, this.#options.onFailure);
  }

  /** Resolves when nothing is under way. Throws what the last one failed with. */
  async idle(): Promise<void> {
    await this.#sending;
    if (this.#failure !== undefined) throw this.#failure;
  }

  async #send(send: () => Promise<void>): Promise<void> {
    const { clock, onNews, onFailure } = this.#options;
    try {
      await send();
      this.#failures = 0;
      this.#failure = undefined;
      this.#retryAt = undefined;
    } catch (error) {
      const [first, longest] = retryMs;
      this.#failure = new Error("the last report of the pod failed", { cause: error });
      this.#retryAt = clock.now() + Math.min(longest, first * 2 ** this.#failures++);
      this.#hasNews = true;
      onFailure(error);
    }
    this.#sending = undefined;
    if (this.#hasNews) onNews();
    this.#hasNews = false;
  }
}
