import { macrotask, realClock } from "../ambient.ts";
import { deadlineOn, sleepOn } from "../time/clock-waits.ts";
import type { Clock, Deadline, Timer } from "../time/clock.ts";
import { TimerQueue, type QueuedTimer } from "./timer-queue.ts";

/** How a virtual clock is set up. */
export interface VirtualClockOptions {
  /** Wall clock time of the start, in milliseconds since 1970. Default: 2026-01-01T00:00:00Z. */
  readonly epoch?: number;
  /** Keeps where each timer and tracked work was set, for the messages. Costs time: for debugging. Default: false. */
  readonly traces?: boolean;
  /** How many real milliseconds tracked work may take before it counts as stuck. Default: 120,000. */
  readonly patience?: number;
}

/**
 * Time that moves only when told to, and then as fast as the work allows. Between two timers everything settles:
 * microtasks, and all work that was announced with `track`. So a run depends on nothing but its input.
 */
export class VirtualClock implements Clock {
  readonly #epoch: number;
  readonly #traces: boolean;
  readonly #patience: number;
  readonly #timers = new TimerQueue();
  readonly #tracked = new Set<Tracked>();
  #elapsed = 0;
  #firedAtThisInstant = 0;
  #isRunning = false;
  #wakeWhenUntracked: (() => void) | undefined;

  constructor({ epoch = Date.UTC(2026, 0), traces = false, patience = 120_000 }: VirtualClockOptions = {}) {
    this.#epoch = epoch;
    this.#traces = traces;
    this.#patience = patience;
  }

  now(): number {
    return this.#epoch + this.#elapsed;
  }

  monotonic(): number {
    return this.#elapsed;
  }

  timer(ms: number, callback: () => void): Timer {
    const due = this.#elapsed + (ms > 0 ? ms : 0);
    return this.#timers.add(due, callback, this.#origin());
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return sleepOn((...args) => this.timer(...args), ms, signal);
  }

  deadline(ms: number, parent?: AbortSignal): Deadline {
    return deadlineOn((...args) => this.timer(...args), ms, parent);
  }

  track<T>(work: Promise<T>): Promise<T> {
    const tracked: Tracked = { since: this.#elapsed, origin: this.#origin() };
    this.#tracked.add(tracked);
    return work.finally(() => {
      this.#tracked.delete(tracked);
      if (this.#tracked.size === 0) this.#wakeWhenUntracked?.();
    });
  }

  /** How many timers wait, and how much tracked work has not finished. */
  pending(): { readonly timers: number; readonly tracked: number } {
    return { timers: this.#timers.size, tracked: this.#tracked.size };
  }

  /** Lets everything happen that can happen without time passing. */
  settle(): Promise<void> {
    return this.#exclusively("settle", () => this.#settle());
  }

  /** Lets `ms` milliseconds pass: fires what comes due in order of time, then of setting. */
  advance(ms: number): Promise<void> {
    return this.#exclusively("advance", async () => {
      const target = this.#elapsed + ms;
      await this.#settle();
      for (
        let next = this.#timers.peek();
        next !== undefined && next.due <= target;
        next = this.#timers.peek()
      ) {
        await this.#fire(next);
      }
      this.#moveTo(target);
    });
  }

  /**
   * Lets time pass from timer to timer until the promise is settled or the condition holds. Throws when no timer is
   * left that could bring it about, or when `limit` virtual milliseconds (default: an hour) have passed.
   */
  async runUntil<T>(target: Promise<T>, options?: RunOptions): Promise<T>;
  async runUntil(target: () => boolean, options?: RunOptions): Promise<void>;
  async runUntil<T>(target: Promise<T> | (() => boolean), options: RunOptions = {}): Promise<T | void> {
    if (typeof target === "function") return this.#exclusively("runUntil", () => this.#run(target, options));
    let isSettled = false;
    const settled = (): void => {
      isSettled = true;
    };
    target.then(settled, settled);
    await this.#exclusively("runUntil", () => this.#run(() => isSettled, options));
    return target;
  }

  async #run(isDone: () => boolean, { limit = 3_600_000 }: RunOptions): Promise<void> {
    const end = this.#elapsed + limit;
    await this.#settle();
    while (!isDone()) {
      const next = this.#timers.peek();
      if (next === undefined || next.due === Infinity) throw this.#stuck(nothingLeft);
      if (next.due > end) {
        this.#moveTo(end);
        throw this.#stuck(`not done within ${limit} ms of virtual time`);
      }
      await this.#fire(next);
    }
  }

  async #fire(next: QueuedTimer): Promise<void> {
    this.#moveTo(next.due);
    if (++this.#firedAtThisInstant > mostAtOneInstant) {
      throw this.#stuck(`time does not move: ${mostAtOneInstant} timers have fired at one instant`);
    }
    this.#timers.take()?.callback();
    await this.#settle();
  }

  #moveTo(elapsed: number): void {
    if (elapsed > this.#elapsed) this.#firedAtThisInstant = 0;
    this.#elapsed = elapsed;
  }

  async #settle(): Promise<void> {
    await macrotask();
    while (this.#tracked.size > 0) {
      await this.#untracked();
      await macrotask();
    }
  }

  /** Waits, in real time, until all tracked work has finished. */
  async #untracked(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<"finished" | "stuck">();
    const patience = realClock.timer(this.#patience, () => resolve("stuck"));
    this.#wakeWhenUntracked = () => resolve("finished");
    const outcome = await promise;
    this.#wakeWhenUntracked = undefined;
    patience.cancel();
    if (outcome === "stuck") {
      throw this.#stuck(`tracked work has not finished within ${this.#patience} ms of real time`);
    }
  }

  async #exclusively<T>(name: string, run: () => Promise<T>): Promise<T> {
    if (this.#isRunning)
      throw new Error(`VirtualClock.${name}: the clock is running already; await that first`);
    this.#isRunning = true;
    try {
      return await run();
    } finally {
      this.#isRunning = false;
    }
  }

  #origin(): string | undefined {
    return this.#traces ? callSite(new Error("origin")) : undefined;
  }

  #stuck(what: string): Error {
    const at = new Date(this.now()).toISOString();
    const timers = this.#timers
      .list()
      .map(({ due, origin }) => line(`timer due in ${due - this.#elapsed} ms`, origin));
    const tracked = Array.from(this.#tracked, ({ since, origin }) =>
      line(`tracked work since ${this.#elapsed - since} ms ago`, origin),
    );
    const pending = [...timers, ...tracked];
    const listed = pending.length > mostListed ? [...pending.slice(0, mostListed), "  …"] : pending;
    const hint =
      this.#traces || pending.length === 0 ? [] : ["  ({ traces: true } tells where each was set)"];
    const counts = `pending: ${timers.length} timers, ${tracked.length} tracked`;
    return new Error([`virtual clock at ${at}: ${what}; ${counts}`, ...listed, ...hint].join("\n"));
  }
}

/** Limits of one `runUntil`. */
export interface RunOptions {
  /** The longest virtual time to let pass, in milliseconds. */
  readonly limit?: number;
}

interface Tracked {
  /** Elapsed virtual time when it was announced. */
  readonly since: number;
  readonly origin: string | undefined;
}

/** A timer that sets itself again without delay would otherwise run for ever. */
const mostAtOneInstant = 100_000;

const mostListed = 20;

const nothingLeft =
  "nothing can happen any more, as no timer is left (work that leaves the event loop must be announced with track)";

function line(what: string, origin: string | undefined): string {
  return origin === undefined ? `  ${what}` : `  ${what}, set ${origin}`;
}

/** The first line of the stack that is not about keeping time. */
function callSite(error: Error): string {
  const frames = error.stack?.split("\n").slice(1) ?? [];
  return (
    frames.find((frame) => !/\/(?:virtual-clock|clock-waits)\.[jt]s/u.test(frame)) ?? "somewhere"
  ).trim();
}
