import type { Clock } from "@kedge/machinery";
import { LimitedLevel } from "./limited-level.ts";
import { RetryAfter } from "./retry-after.ts";
import { SeatDemand } from "./seat-demand.ts";
import { boundsOf, shareSeats, type SeatBounds } from "./share-seats.ts";
import type { PriorityLevel } from "./types.ts";

/** A priority level at work. */
export interface LevelState {
  readonly level: PriorityLevel;
  /** Undefined: its requests need no seats. */
  readonly limited: LimitedLevel | undefined;
  readonly demand: SeatDemand;
  readonly retryAfter: RetryAfter;
  bounds: SeatBounds;
}

/** kube-apiserver's limits: 400 requests that read and 200 that write, at a time. */
const allSeats = 600;

/** The levels, with the seats that each has now: its own, less what it lends, and what it borrows. */
export class LevelSeats {
  readonly #clock: Clock;
  readonly #states = new Map<string, LevelState>();
  #isStale = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  set(level: PriorityLevel): void {
    const old = this.#states.get(level.name);
    const isSame = old !== undefined && (old.limited === undefined) === (level.type === "Exempt");
    this.#states.set(level.name, isSame ? { ...old, level } : this.#begin(level));
    this.#isStale = true;
  }

  /** Who has or waits for its seats goes on with those. */
  delete(name: string): void {
    if (this.#states.delete(name)) this.#isStale = true;
  }

  has(name: string): boolean {
    return this.#states.has(name);
  }

  get(name: string): LevelState | undefined {
    if (this.#isStale) this.#configure();
    return this.#states.get(name);
  }

  /** Gives seats that some levels do not need to those that do, by what they needed since the last time. */
  rebalance(): void {
    if (this.#isStale) this.#configure();
    else this.#share();
  }

  /** As if nobody had needed any until now. */
  forgetDemand(): void {
    for (const { demand } of this.#states.values()) demand.forget();
  }

  #begin(level: PriorityLevel): LevelState {
    const demand = new SeatDemand(this.#clock);
    const { queuing } = level;
    return {
      level,
      limited:
        level.type === "Exempt" ? undefined : new LimitedLevel(0, queuing, (seats) => demand.set(seats)),
      demand,
      retryAfter: new RetryAfter(this.#clock),
      bounds: { nominal: 0, least: 0, most: 0 },
    };
  }

  #configure(): void {
    this.#isStale = false;
    const states = [...this.#states.values()];
    const bounds = boundsOf(
      states.map(({ level }) => level),
      allSeats,
    );
    states.forEach((state, i) => (state.bounds = bounds[i] ?? state.bounds));
    this.#share();
  }

  #share(): void {
    const states = [...this.#states.values()];
    const limited = states.filter((state) => state.limited !== undefined);
    const needs = limited.map(({ demand, bounds }) => {
      const { most, likely } = demand.end();
      const sure = Math.max(bounds.least, Math.min(bounds.nominal, most));
      return { sure, wanted: Math.max(sure, likely) };
    });
    const all = states.reduce((sum, { bounds }) => sum + bounds.nominal, 0);
    const exempt = states.reduce(
      (sum, { limited: seats, bounds }) => (seats === undefined ? sum + bounds.least : sum),
      0,
    );
    // What is sure is too much when the level that needs no seats keeps its own: then what nobody may borrow is.
    const isEnough = needs.reduce((sum, { sure }) => sum + sure, 0) <= all - exempt;
    const seats = shareSeats(
      all - exempt,
      limited.map(({ bounds }, i) => {
        const { sure = 0, wanted = 0 } = needs[i] ?? {};
        return { least: isEnough ? sure : bounds.least, most: bounds.most, wanted };
      }),
    );
    limited.forEach(({ limited: level, level: { queuing } }, i) =>
      level?.configure(Math.round(seats[i] ?? 0), queuing),
    );
  }
}
