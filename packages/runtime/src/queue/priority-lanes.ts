import { isMoreUrgent } from "./pending-work.ts";
import { priorities, type Priority } from "./types.ts";

/**
 * Every so many keys, the one that has stood longest goes first, whatever its class. So a key that finds `n` others in
 * the lanes leaves them after at most `agedShare * (n + 1)` keys, however many urgent ones arrive.
 */
export const agedShare = 5;

interface Place {
  readonly key: string;
  readonly lane: Lane;
  /** Grows with each place given: the smallest has stood longest. */
  readonly turn: number;
  previous: Place | undefined;
  next: Place | undefined;
}

interface Lane {
  readonly priority: Priority;
  first: Place | undefined;
  last: Place | undefined;
  size: number;
}

/** The order in which keys are handed out: a lane for each class, first in first out, with a share for the oldest. */
export class PriorityLanes {
  readonly #lanes: readonly Lane[] = priorities.map((priority) => ({
    priority,
    first: undefined,
    last: undefined,
    size: 0,
  }));
  readonly #places = new Map<string, Place>();
  readonly #onDepth: (priority: Priority, keys: number) => void;
  #turns = 0;
  #taken = 0;

  constructor(onDepth: (priority: Priority, keys: number) => void) {
    this.#onDepth = onDepth;
  }

  get size(): number {
    return this.#places.size;
  }

  /** Puts a key at the end of its lane. A key that stands already moves only to a more urgent one. */
  put(key: string, priority: Priority): void {
    const old = this.#places.get(key);
    if (old !== undefined) {
      if (!isMoreUrgent(priority, old.lane.priority)) return;
      this.#remove(old);
    }
    const lane = this.#lanes[priorities.indexOf(priority)];
    if (lane === undefined)
      throw new TypeError(`queue priority ${priority}: must be one of ${priorities.join(", ")}`);
    this.#append(key, lane);
  }

  /** Removes and returns the key whose turn it is. */
  take(): string | undefined {
    let urgent: Place | undefined;
    let oldest: Place | undefined;
    for (const { first } of this.#lanes) {
      if (first === undefined) continue;
      urgent ??= first;
      if (oldest === undefined || first.turn < oldest.turn) oldest = first;
    }
    this.#taken += urgent === undefined ? 0 : 1;
    const chosen = this.#taken % agedShare === 0 ? oldest : urgent;
    if (chosen === undefined) return undefined;
    this.#remove(chosen);
    return chosen.key;
  }

  #append(key: string, lane: Lane): void {
    this.#turns += 1;
    const place: Place = { key, lane, turn: this.#turns, previous: lane.last, next: undefined };
    if (lane.last === undefined) lane.first = place;
    else lane.last.next = place;
    lane.last = place;
    this.#places.set(key, place);
    this.#resize(lane, 1);
  }

  #remove({ key, lane, previous, next }: Place): void {
    if (previous === undefined) lane.first = next;
    else previous.next = next;
    if (next === undefined) lane.last = previous;
    else next.previous = previous;
    this.#places.delete(key);
    this.#resize(lane, -1);
  }

  #resize(lane: Lane, by: number): void {
    lane.size += by;
    this.#onDepth(lane.priority, lane.size);
  }
}
