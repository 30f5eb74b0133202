/** A timer that has not fired yet. Cancelling twice, or after it fired, does nothing. */
export interface Timer {
  cancel(): void;
}

/** A signal that aborts when its time is up, and the way to release its timer early. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
}

/**
 * Where all time comes from. Nothing in Kedge reads the machine's clock or sets a timer but through this, so that a
 * whole cluster can run on virtual time.
 */
export interface Clock {
  /** Wall clock in milliseconds since 1970. May jump when the machine's clock is set: for timestamps only. */
  now(): number;
  /** Milliseconds since some fixed moment, never going back: for measuring and for deadlines. */
  monotonic(): number;
  /** Calls back once after `ms` milliseconds, never before this call has returned. */
  timer(ms: number, callback: () => void): Timer;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when it is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Aborts with a `DeadlineError` after `ms` milliseconds, or with the parent's reason when the parent aborts. */
  deadline(ms: number, parent?: AbortSignal): Deadline;
  /**
   * Announces work that leaves the event loop (file, socket, thread), so that a virtual clock waits for it. Go on with
   * the promise that it returns, which has the same outcome.
   */
  track<T>(work: Promise<T>): Promise<T>;
}
