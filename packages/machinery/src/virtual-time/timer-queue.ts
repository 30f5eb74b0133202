import type { Timer } from "../time/clock.ts";

/** A timer that waits in a `TimerQueue`. */
export interface QueuedTimer extends Timer {
  /** When it fires, in the milliseconds of whoever keeps the queue. */
  readonly due: number;
  readonly callback: () => void;
  /** Where it was set, when traces are kept. */
  readonly origin: string | undefined;
}

interface Entry extends QueuedTimer {
  readonly order: number;
  cancelled: boolean;
}

/** Timers in order of their due time, those of the same time in the order of setting. */
export class TimerQueue {
  /** A binary heap. Cancelled entries stay until they come to the top or outnumber the others. */
  #heap: Entry[] = [];
  #cancelled = 0;
  #order = 0;

  /** The number of timers that wait. */
  get size(): number {
    return this.#heap.length - this.#cancelled;
  }

  add(due: number, callback: () => void, origin?: string): QueuedTimer {
    const entry: Entry = {
      due,
      callback,
      origin,
      order: this.#order++,
      cancelled: false,
      cancel: () => this.#cancel(entry),
    };
    this.#heap.push(entry);
    this.#siftUp(this.#heap.length - 1);
    return entry;
  }

  /** The timer that is due first, left in the queue. */
  peek(): QueuedTimer | undefined {
    while (this.#heap[0]?.cancelled === true) {
      this.#pop();
      this.#cancelled--;
    }
    return this.#heap[0];
  }

  /** Takes out the timer that is due first. */
  take(): QueuedTimer | undefined {
    if (this.peek() === undefined) return undefined;
    const entry = this.#pop();
    // Marked so that cancelling it later does not count.
    if (entry !== undefined) entry.cancelled = true;
    return entry;
  }

  /** All that wait, in order. */
  list(): QueuedTimer[] {
    return this.#heap.filter((entry) => !entry.cancelled).toSorted((a, b) => (before(a, b) ? -1 : 1));
  }

  #cancel(entry: Entry): void {
    if (entry.cancelled) return;
    entry.cancelled = true;
    this.#cancelled++;
    if (this.#cancelled > 64 && this.#cancelled > this.#heap.length / 2) this.#compact();
  }

  #compact(): void {
    // A sorted list is a heap.
    this.#heap = this.#heap.filter((entry) => !entry.cancelled).toSorted((a, b) => (before(a, b) ? -1 : 1));
    this.#cancelled = 0;
  }

  #pop(): Entry | undefined {
    const top = this.#heap[0];
    const last = this.#heap.pop();
    if (last !== undefined && this.#heap.length > 0) {
      this.#heap[0] = last;
      this.#siftDown(0);
    }
    return top;
  }

  #siftUp(start: number): void {
    let index = start;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#swapIfBefore(index, parent)) return;
      index = parent;
    }
  }

  #siftDown(start: number): void {
    let index = start;
    for (;;) {
      const left = this.#heap[2 * index + 1];
      const right = this.#heap[2 * index + 2];
      if (left === undefined) return;
      const child = right !== undefined && before(right, left) ? 2 * index + 2 : 2 * index + 1;
      if (!this.#swapIfBefore(child, index)) return;
      index = child;
    }
  }

  #swapIfBefore(lower: number, upper: number): boolean {
    const a = this.#heap[lower];
    const b = this.#heap[upper];
    if (a === undefined || b === undefined || before(b, a)) return false;
    this.#heap[lower] = b;
    this.#heap[upper] = a;
    return true;
  }
}

function before(a: Entry, b: Entry): boolean {
  return a.due === b.due ? a.order < b.order : a.due < b.due;
}
