import { dealHand } from "./deal-hand.ts";
import type { Queuing } from "./types.ts";

/** A request that waits for seats. */
interface Waiting {
  readonly width: number;
  readonly grant: () => void;
}

type Queue = Set<Waiting>;

/** The seats of one priority level, and the queues in front of them. */
export class LimitedLevel {
  readonly #onDemand: (seats: number) => void;
  #seats: number;
  #queuing: Queuing | undefined;
  /** Those that are not empty, by number, in the order in which they are served. */
  readonly #queues = new Map<number, Queue>();
  #inUse = 0;
  #waiting = 0;
  #waitingSeats = 0;

  /** `onDemand` is told how many seats it needs: in use, and waited for. */
  constructor(seats: number, queuing: Queuing | undefined, onDemand: (seats: number) => void) {
    this.#seats = seats;
    this.#queuing = queuing;
    this.#onDemand = onDemand;
  }

  get seats(): number {
    return this.#seats;
  }

  get inUse(): number {
    return this.#inUse;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** From now on it has so many seats and such queues. Who waits keeps its place. */
  configure(seats: number, queuing: Queuing | undefined): void {
    this.#seats = seats;
    this.#queuing = queuing;
    this.#serve();
  }

  /** Takes seats if there are some and nobody waits for them. */
  take(width: number): boolean {
    if (this.#waiting > 0 || !this.#fits(width)) return false;
    this.#inUse += width;
    this.#tellDemand();
    return true;
  }

  /** Waits for seats; calls back when it has them. Undefined when there is no room to wait; else the way to give up. */
  wait(flow: string, width: number, grant: () => void): (() => void) | undefined {
    const number = this.#queueFor(flow);
    if (number === undefined) return undefined;
    const queue: Queue = this.#queues.get(number) ?? new Set();
    this.#queues.set(number, queue);
    const waiting = { width, grant };
    queue.add(waiting);
    this.#waiting++;
    this.#waitingSeats += width;
    this.#tellDemand();
    return () => {
      if (!queue.has(waiting)) return;
      this.#leave(number, queue, waiting);
      this.#tellDemand();
      // It may have been a wide one that others waited behind.
      this.#serve();
    };
  }

  /** Gives seats back: to whoever waits, one of each queue in turn. */
  release(width: number): void {
    this.#inUse -= width;
    this.#tellDemand();
    this.#serve();
  }

  #serve(): void {
    for (const [number, queue] of this.#queues) {
      const [next] = queue;
      if (next === undefined) continue;
      // A wide one is waited for: narrow ones behind it would keep it waiting for ever.
      if (!this.#fits(next.width)) return;
      this.#leave(number, queue, next);
      // Its turn comes again after all others'.
      if (queue.size > 0 && this.#queues.delete(number)) this.#queues.set(number, queue);
      this.#inUse += next.width;
      next.grant();
    }
  }

  #leave(number: number, queue: Queue, waiting: Waiting): void {
    queue.delete(waiting);
    if (queue.size === 0) this.#queues.delete(number);
    this.#waiting--;
    this.#waitingSeats -= waiting.width;
  }

  /** One that is wider than the level is served alone. */
  #fits(width: number): boolean {
    return this.#inUse === 0 || this.#inUse + width <= this.#seats;
  }

  /** The shortest of those that a flow may use; undefined when all are full. */
  #queueFor(flow: string): number | undefined {
    if (this.#queuing === undefined) return undefined;
    let shortest: number | undefined;
    let length = this.#queuing.queueLengthLimit;
    for (const number of dealHand(flow, this.#queuing)) {
      const { size } = this.#queues.get(number) ?? { size: 0 };
      if (size >= length) continue;
      shortest = number;
      length = size;
    }
    return shortest;
  }

  #tellDemand(): void {
    this.#onDemand(this.#inUse + this.#waitingSeats);
  }
}
