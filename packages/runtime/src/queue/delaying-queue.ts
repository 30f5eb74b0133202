import type { Clock, Timer } from "@kedge/machinery";
import type { DedupeQueue } from "./dedupe-queue.ts";
import { PendingWork } from "./pending-work.ts";
import { silentQueueMetrics, type QueueMetrics } from "./queue-metrics.ts";
import { ReadyHeap, type HeapEntry } from "./ready-heap.ts";
import type { DelayingQueue, Trigger, WorkItem } from "./types.ts";

/** What a delaying queue needs. */
export interface HeapDelayingQueueOptions {
  readonly clock: Clock;
  readonly inner: DedupeQueue;
  /** Default: none are kept. */
  readonly metrics?: QueueMetrics;
}

interface Waiting extends HeapEntry {
  readonly work: PendingWork;
}

/** Keeps keys until their time has come, with one timer for the earliest. A key waits or is ready, never both. */
export class HeapDelayingQueue implements DelayingQueue {
  readonly #clock: Clock;
  readonly #inner: DedupeQueue;
  readonly #metrics: QueueMetrics;
  readonly #waiting = new Map<string, Waiting>();
  readonly #heap = new ReadyHeap<Waiting>();
  #order = 0;
  /** Armed for the first entry of the heap; absent when none waits. */
  #armed: { readonly readyAt: number; readonly timer: Timer } | undefined;
  #isClosed = false;

  constructor({ clock, inner, metrics = silentQueueMetrics }: HeapDelayingQueueOptions) {
    this.#clock = clock;
    this.#inner = inner;
    this.#metrics = metrics;
  }

  get depth(): number {
    return this.#inner.depth;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  isReady(key: string): boolean {
    return this.#inner.isReady(key);
  }

  isWaiting(key: string): boolean {
    return this.#waiting.has(key);
  }

  processingSince(key: string): number | undefined {
    return this.#inner.processingSince(key);
  }

  add(key: string, trigger: Trigger): void {
    this.#waiting.get(key)?.work.record(trigger, this.#clock.now());
    if (this.#waiting.has(key)) this.expedite(key);
    else this.#inner.add(key, trigger);
  }

  addAfter(key: string, ms: number, trigger: Trigger): void {
    if (this.#isClosed) return;
    if (!(ms > 0) || this.#inner.isReady(key)) {
      this.add(key, trigger);
      return;
    }
    const readyAt = this.#clock.monotonic() + ms;
    const entry = this.#waiting.get(key);
    if (entry === undefined) this.#wait(key, readyAt, new PendingWork(trigger, this.#clock.now()));
    else entry.work.record(trigger, this.#clock.now());
    if (entry !== undefined && readyAt < entry.readyAt) this.#heap.moveUp(entry, readyAt);
    this.#arm();
  }

  expedite(key: string): void {
    const entry = this.#waiting.get(key);
    if (entry === undefined) return;
    this.#release(entry);
    this.#arm();
  }

  get(signal?: AbortSignal): Promise<WorkItem | undefined> {
    return this.#inner.get(signal);
  }

  done(key: string): void {
    this.#inner.done(key);
  }

  shutDown(): void {
    this.#close();
    this.#inner.shutDown();
  }

  drain(signal?: AbortSignal): Promise<void> {
    this.#close();
    return this.#inner.drain(signal);
  }

  #wait(key: string, readyAt: number, work: PendingWork): void {
    this.#order += 1;
    const entry: Waiting = { key, readyAt, order: this.#order, index: -1, work };
    this.#waiting.set(key, entry);
    this.#heap.push(entry);
    this.#metrics.retried();
  }

  #release(entry: Waiting): void {
    this.#heap.remove(entry);
    this.#waiting.delete(entry.key);
    this.#inner.merge(entry.key, entry.work);
  }

  #arm(): void {
    const readyAt = this.#heap.first?.readyAt;
    if (readyAt === this.#armed?.readyAt) return;
    this.#armed?.timer.cancel();
    this.#armed = undefined;
    if (readyAt === undefined) return;
    const timer = this.#clock.timer(readyAt - this.#clock.monotonic(), () => this.#fire());
    this.#armed = { readyAt, timer };
  }

  #fire(): void {
    this.#armed = undefined;
    const now = this.#clock.monotonic();
    for (let { first } = this.#heap; first !== undefined && first.readyAt <= now; { first } = this.#heap) {
      this.#release(first);
    }
    this.#arm();
  }

  /** What waits is dropped: nobody will be there when its time comes. */
  #close(): void {
    this.#isClosed = true;
    this.#waiting.clear();
    this.#heap.clear();
    this.#arm();
  }
}
