import type { Clock } from "@kedge/machinery";
import type { DelayingQueue, RateLimitingQueue, Trigger, WorkItem } from "./types.ts";

/** How long failures make a key wait: `baseDelayMs * 2^(failures - 1)`, at most `maxDelayMs`. */
export interface BackoffOptions {
  /** Default: 5 ms. */
  readonly baseDelayMs?: number;
  /** Default: 1000 s. */
  readonly maxDelayMs?: number;
}

/** What a rate-limiting queue needs. */
export interface BackoffQueueOptions extends BackoffOptions {
  readonly clock: Clock;
  readonly inner: DelayingQueue;
}

/** The wait that the last counted failure of a key brought. */
interface Window {
  failures: number;
  /** `Clock.monotonic()` of its end. */
  endsAt: number;
  /** Whether an event has brought the retry forward: the next ones must wait. */
  isSpent: boolean;
  /** Whether an event waits for the end of the window, to be let go when the back-off ends. */
  isHolding: boolean;
}

/**
 * Back-off for each key, which events can neither evade nor inflate. In each window one event may bring the retry
 * forward; later ones join the waiting entry. A failure counts only when its run began after the window had ended, so
 * that a noisy object that fails does not reach the longest delay within seconds.
 */
export class BackoffQueue implements RateLimitingQueue {
  readonly #clock: Clock;
  readonly #inner: DelayingQueue;
  readonly #baseDelayMs: number;
  readonly #maxDelayMs: number;
  /** Only of keys that are ready, wait or are being processed. */
  readonly #windows = new Map<string, Window>();

  constructor({ clock, inner, baseDelayMs = 5, maxDelayMs = 1_000_000 }: BackoffQueueOptions) {
    this.#clock = clock;
    this.#inner = inner;
    this.#baseDelayMs = baseDelayMs;
    this.#maxDelayMs = maxDelayMs;
  }

  get depth(): number {
    return this.#inner.depth;
  }

  get waiting(): number {
    return this.#inner.waiting;
  }

  get backingOff(): number {
    return this.#windows.size;
  }

  failures(key: string): number {
    return this.#windows.get(key)?.failures ?? 0;
  }

  isReady(key: string): boolean {
    return this.#inner.isReady(key);
  }

  isWaiting(key: string): boolean {
    return this.#inner.isWaiting(key);
  }

  processingSince(key: string): number | undefined {
    return this.#inner.processingSince(key);
  }

  add(key: string, trigger: Trigger): void {
    this.addAfter(key, 0, trigger);
  }

  addAfter(key: string, ms: number, trigger: Trigger): void {
    // The failures were those of another spec.
    if (trigger.priority === "spec-change") this.forget(key);
    this.#inner.addAfter(key, this.#permitted(key, ms), trigger);
  }

  addRateLimited(key: string, trigger: Trigger): void {
    const startedAt = this.#inner.processingSince(key);
    if (startedAt === undefined) {
      const call = `addRateLimited(${JSON.stringify(key)})`;
      throw new Error(
        `queue: ${call}: no worker has this key; call it before done, and add for what is not a failure`,
      );
    }
    const window = this.#windows.get(key);
    const isCounted = window === undefined || startedAt >= window.endsAt;
    const current = isCounted ? this.#open(key, window?.failures ?? 0) : window;
    this.#inner.addAfter(key, current.endsAt - this.#clock.monotonic(), trigger);
  }

  forget(key: string): void {
    const window = this.#windows.get(key);
    this.#windows.delete(key);
    const isHolding = window?.isHolding === true && window.endsAt > this.#clock.monotonic();
    if (isHolding) this.#inner.expedite(key);
  }

  expedite(key: string): void {
    this.#inner.expedite(key);
  }

  get(signal?: AbortSignal): Promise<WorkItem | undefined> {
    return this.#inner.get(signal);
  }

  done(key: string): void {
    this.#inner.done(key);
    // The worker neither failed nor forgot, or the queue has shut down: nothing will come to end this back-off.
    if (!this.#inner.isReady(key) && !this.#inner.isWaiting(key)) this.#windows.delete(key);
  }

  shutDown(): void {
    this.#windows.clear();
    this.#inner.shutDown();
  }

  drain(signal?: AbortSignal): Promise<void> {
    this.#windows.clear();
    return this.#inner.drain(signal);
  }

  /** Starts the window of one more failure. */
  #open(key: string, failuresBefore: number): Window {
    const delay = Math.min(this.#baseDelayMs * 2 ** failuresBefore, this.#maxDelayMs);
    const window: Window = {
      failures: failuresBefore + 1,
      endsAt: this.#clock.monotonic() + delay,
      // What came while the worker had the key runs at once.
      isSpent: this.#inner.isReady(key),
      isHolding: false,
    };
    this.#windows.set(key, window);
    return window;
  }

  /** How long an add must wait that asks for `ms`. */
  #permitted(key: string, ms: number): number {
    const window = this.#windows.get(key);
    const remaining = window === undefined ? 0 : window.endsAt - this.#clock.monotonic();
    if (window === undefined || remaining <= ms || this.#inner.isReady(key)) return ms;
    if (!window.isSpent) {
      window.isSpent = true;
      return ms;
    }
    window.isHolding = true;
    return remaining;
  }
}
