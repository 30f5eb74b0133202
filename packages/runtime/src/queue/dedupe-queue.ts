import type { Clock } from "@kedge/machinery";
import { PendingWork } from "./pending-work.ts";
import { PriorityLanes } from "./priority-lanes.ts";
import { silentQueueMetrics, type QueueMetrics, type RunningWork } from "./queue-metrics.ts";
import type { Queue, Trigger, WorkItem } from "./types.ts";

/** What a queue needs. */
export interface DedupeQueueOptions {
  readonly clock: Clock;
  /** Default: none are kept. */
  readonly metrics?: QueueMetrics;
}

type Getter = (item: WorkItem | undefined) => void;

/** The innermost queue: one entry for each key, ordered by class, and no key with two workers. */
export class DedupeQueue implements Queue {
  readonly #clock: Clock;
  readonly #metrics: QueueMetrics;
  /** The dirty set: what is to be handed out, now or when the worker that has the key is done. */
  readonly #dirty = new Map<string, { readonly work: PendingWork; readonly since: number }>();
  /** Since when workers have their keys. */
  readonly #processing = new Map<string, number>();
  /** The dirty keys that are not being processed, in order. */
  readonly #ready: PriorityLanes;
  /** Not empty only while nothing is ready. */
  readonly #getters = new Set<Getter>();
  readonly #drains = new Set<(nothing: undefined) => void>();
  #isClosed = false;

  constructor({ clock, metrics = silentQueueMetrics }: DedupeQueueOptions) {
    this.#clock = clock;
    this.#metrics = metrics;
    this.#ready = new PriorityLanes((priority, keys) => metrics.depth(priority, keys));
    metrics.onScrape(() => this.#running());
  }

  get depth(): number {
    return this.#ready.size;
  }

  isReady(key: string): boolean {
    return this.#dirty.has(key);
  }

  processingSince(key: string): number | undefined {
    return this.#processing.get(key);
  }

  add(key: string, trigger: Trigger): void {
    this.merge(key, new PendingWork(trigger, this.#clock.now()));
  }

  /** `add` for what has gathered its causes elsewhere. The queue keeps the work. */
  merge(key: string, work: PendingWork): void {
    if (this.#isClosed) return;
    const entry = this.#dirty.get(key);
    if (entry === undefined) {
      this.#dirty.set(key, { work, since: this.#clock.monotonic() });
      this.#metrics.added();
    } else {
      entry.work.absorb(work);
    }
    if (this.#processing.has(key)) return;
    this.#makeReady(key, entry?.work ?? work);
  }

  async get(signal?: AbortSignal): Promise<WorkItem | undefined> {
    signal?.throwIfAborted();
    const item = this.#take();
    if (item !== undefined) return item;
    if (this.#isExhausted()) return undefined;
    return wait(this.#getters, signal);
  }

  done(key: string): void {
    const since = this.#processing.get(key);
    if (since === undefined) {
      throw new Error(
        `queue: done(${JSON.stringify(key)}): no worker has this key; call done once for each get`,
      );
    }
    this.#processing.delete(key);
    this.#metrics.worked((this.#clock.monotonic() - since) / 1000);
    const entry = this.#dirty.get(key);
    if (entry !== undefined) this.#makeReady(key, entry.work);
    this.#finish();
  }

  shutDown(): void {
    this.#isClosed = true;
    while (this.#ready.take() !== undefined);
    this.#dirty.clear();
    this.#finish();
  }

  async drain(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    this.#isClosed = true;
    this.#finish();
    if (!this.#isDrained()) await wait(this.#drains, signal);
  }

  #makeReady(key: string, work: PendingWork): void {
    this.#ready.put(key, work.priority);
    const [getter] = this.#getters;
    if (getter === undefined) return;
    this.#getters.delete(getter);
    getter(this.#take());
  }

  #take(): WorkItem | undefined {
    const key = this.#ready.take();
    const entry = key === undefined ? undefined : this.#dirty.get(key);
    if (key === undefined || entry === undefined) return undefined;
    const now = this.#clock.monotonic();
    this.#dirty.delete(key);
    this.#processing.set(key, now);
    this.#metrics.queued((now - entry.since) / 1000);
    return entry.work.toItem(key);
  }

  /** Nothing becomes dirty after closing, so with the last dirty key taken there is nothing to get. */
  #isExhausted(): boolean {
    return this.#isClosed && this.#dirty.size === 0;
  }

  #isDrained(): boolean {
    return this.#isExhausted() && this.#processing.size === 0;
  }

  #finish(): void {
    if (this.#isExhausted()) release(this.#getters);
    if (this.#isDrained()) release(this.#drains);
  }

  #running(): RunningWork {
    const now = this.#clock.monotonic();
    const seconds = [...this.#processing.values()].map((since) => (now - since) / 1000);
    return { unfinishedSeconds: seconds.reduce((a, b) => a + b, 0), longestSeconds: Math.max(0, ...seconds) };
  }
}

/** Stands in a set until called, or until the signal aborts. */
async function wait<T>(waiters: Set<(value: T) => void>, signal?: AbortSignal): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const onAbort = (): void => {
    waiters.delete(resolve);
    reject(signal?.reason);
  };
  waiters.add(resolve);
  signal?.addEventListener("abort", onAbort, { once: true });
  try {
    return await promise;
  } finally {
    signal?.removeEventListener("abort", onAbort);
  }
}

function release(waiters: Set<(nothing: undefined) => void>): void {
  for (const resolve of waiters) resolve(undefined);
  waiters.clear();
}
