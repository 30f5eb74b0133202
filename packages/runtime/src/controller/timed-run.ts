import { DeadlineError, type Clock, type Deadline, type Logger } from "@kedge/machinery";

/** What the time of a run is measured with. */
export interface TimedRunOptions {
  readonly clock: Clock;
  /** Milliseconds. */
  readonly timeout: number;
  /** Ends all runs. */
  readonly parent: AbortSignal;
  readonly logger: Logger;
}

/** One run and its time. Its signal, with a timer behind it, is made for those who ask for it. */
export class TimedRun implements Disposable {
  readonly logger: Logger;
  /** On the monotonic clock. */
  readonly begin: number;
  readonly #options: TimedRunOptions;
  #deadline: Deadline | undefined;

  constructor(options: TimedRunOptions) {
    this.#options = options;
    this.logger = options.logger;
    this.begin = options.clock.monotonic();
  }

  get signal(): AbortSignal {
    const { clock, timeout, parent } = this.#options;
    const left = this.begin + timeout - clock.monotonic();
    this.#deadline ??= clock.deadline(Math.max(0, left), parent);
    return this.#deadline.signal;
  }

  /** Whether it has taken too long. */
  get isLate(): boolean {
    const { clock, timeout, parent } = this.#options;
    if (this.#deadline?.signal.aborted === true) return this.#deadline.signal.reason instanceof DeadlineError;
    return !parent.aborted && clock.monotonic() - this.begin >= timeout;
  }

  /** A run that took too long, or was cut off, has not succeeded, whatever it says. */
  throwIfOver(): void {
    this.#options.parent.throwIfAborted();
    this.#deadline?.signal.throwIfAborted();
    if (this.isLate) throw new DeadlineError(this.#options.timeout);
  }

  [Symbol.dispose](): void {
    this.#deadline?.[Symbol.dispose]();
  }
}
