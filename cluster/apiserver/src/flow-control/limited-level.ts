import { createHash } from "node:crypto";
import type { Queuing } from "./types.ts";

/** A request that holds seats, or waits for them. */
interface Waiting {
  readonly width: number;
  readonly grant: () => void;
}

/** The seats of one priority level, and the queues in front of them. */
export class LimitedLevel {
  readonly seats: number;
  readonly #queuing: Queuing | undefined;
  readonly #queues: Waiting[][];
  #inUse = 0;
  #waiting = 0;
  /** The queue that is served next. */
  #turn = 0;

  constructor(seats: number, queuing: Queuing | undefined) {
    this.seats = seats;
    this.#queuing = queuing;
    this.#queues = Array.from({ length: queuing?.queues ?? 0 }, () => []);
  }

  get inUse(): number {
    return this.#inUse;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Takes seats if there are some and nobody waits for them. */
  take(width: number): boolean {
    if (this.#waiting > 0 || !this.#fits(width)) return false;
    this.#inUse += width;
    return true;
  }

  /** Waits for seats; calls back when it has them. Undefined when there is no room to wait; else the way to give up. */
  wait(flow: string, width: number, grant: () => void): (() => void) | undefined {
    const queue = this.#queueFor(flow);
    if (queue === undefined) return undefined;
    const waiting = { width, grant };
    queue.push(waiting);
    this.#waiting++;
    return () => {
      const at = queue.indexOf(waiting);
      if (at === -1) return;
      queue.splice(at, 1);
      this.#waiting--;
    };
  }

  /** Gives seats back: to whoever waits, one of each queue in turn. */
  release(width: number): void {
    this.#inUse -= width;
    for (let looked = 0; looked < this.#queues.length && this.#waiting > 0; looked++) {
      const queue = this.#queues[this.#turn];
      const [next] = queue ?? [];
      // A wide one is waited for: narrow ones behind it would keep it waiting for ever.
      if (next !== undefined && !this.#fits(next.width)) return;
      this.#turn = (this.#turn + 1) % this.#queues.length;
      if (queue === undefined || next === undefined) continue;
      queue.shift();
      this.#waiting--;
      this.#inUse += next.width;
      looked = -1;
      next.grant();
    }
  }

  #fits(width: number): boolean {
    return this.#inUse === 0 || this.#inUse + width <= this.seats;
  }

  /** The shortest of those that a flow may use; undefined when all are full. */
  #queueFor(flow: string): Waiting[] | undefined {
    if (this.#queuing === undefined) return undefined;
    const { queues, handSize, queueLengthLimit } = this.#queuing;
    let shortest: Waiting[] | undefined;
    for (const index of handOf(flow, queues, handSize)) {
      const queue = this.#queues[index];
      if (queue !== undefined && queue.length < (shortest?.length ?? queueLengthLimit)) shortest = queue;
    }
    return shortest;
  }
}

/** Some of many queues, always the same for a flow: two flows seldom have the same. */
export function handOf(flow: string, queues: number, handSize: number): readonly number[] {
  const digest = createHash("sha256").update(flow).digest();
  const deck = Array.from({ length: queues }, (_, index) => index);
  return Array.from({ length: Math.min(handSize, queues) }, (_, dealt) => {
    const at = digest.readUInt32BE(dealt * 4) % deck.length;
    return deck.splice(at, 1)[0] ?? 0;
  });
}
