import type { Clock } from "@kedge/machinery";
import type { Attributes } from "../auth/types.ts";
import { SharedTimeout } from "../request/shared-timeout.ts";
import { classifierOf, type Flow } from "./classify.ts";
import { LimitedLevel } from "./limited-level.ts";
import type { FlowConfig } from "./types.ts";

/** What is said to whom no seat is given. */
export class TooManyRequests extends Error {
  override readonly name = "TooManyRequests";
}

/** Seats that a request holds. Giving them back twice is giving them back once. */
export interface Seat {
  release(): void;
}

/** kube-apiserver's limits: 400 requests that read and 200 that write, at a time. */
const allSeats = 600;
/** No request takes more seats than this, or than this part of its level's. */
const [mostWidth, mostPart] = [10, 0.15];
/** So long a request may wait for seats, in milliseconds: a quarter of the time that it may take. */
const longestWait = 15_000;
/** After so long seats are given back, whatever became of the request: its client has been told by then, or has gone. */
const longestHold = 65_000;

/** Who may ask at the same time as others: seats for each level, and in each level a fair share for each flow. */
export class FlowControl {
  readonly #waits: SharedTimeout;
  readonly #holds: SharedTimeout;
  #classify: (attributes: Attributes) => Flow;
  #levels: ReadonlyMap<string, LimitedLevel>;

  constructor(config: FlowConfig, clock: Clock) {
    this.#waits = new SharedTimeout(clock, longestWait);
    this.#holds = new SharedTimeout(clock, longestHold);
    this.#classify = classifierOf(config);
    this.#levels = levelsOf(config);
  }

  /** From now on these count. Requests that have or wait for seats go on with those that they have. */
  configure(config: FlowConfig): void {
    this.#classify = classifierOf(config);
    this.#levels = levelsOf(config);
  }

  /** What a level holds and has waiting; undefined of one that has no limits. */
  load(
    level: string,
  ): { readonly seats: number; readonly inUse: number; readonly waiting: number } | undefined {
    const { seats, inUse, waiting } = this.#levels.get(level) ?? {};
    return seats === undefined ? undefined : { seats, inUse: inUse ?? 0, waiting: waiting ?? 0 };
  }

  /**
   * Takes a seat for a request, at once where that can be; undefined when it needs none. `objects` is how many it will
   * have to look at, asked only when it matters. Throws, or rejects with, `TooManyRequests`.
   */
  enter(attributes: Attributes, objects: () => number): Seat | undefined | Promise<Seat> {
    const flow = this.#classify(attributes);
    const level = this.#levels.get(flow.level);
    if (level === undefined) return undefined;
    const width = widthOf(objects(), level.seats);
    if (level.take(width)) return this.#held(level, width);
    return this.#queued(level, flow, width);
  }

  #queued(level: LimitedLevel, flow: Flow, width: number): Promise<Seat> {
    const { promise, resolve, reject } = Promise.withResolvers<Seat>();
    const giveUp = level.wait(flow.id, width, () => {
      stop();
      resolve(this.#held(level, width));
    });
    if (giveUp === undefined) throw new TooManyRequests(`the level ${flow.level} is full`);
    const stop = this.#waits.begin(() => {
      giveUp();
      reject(new TooManyRequests(`no seat of the level ${flow.level} in ${longestWait / 1000} s`));
    });
    return promise;
  }

  #held(level: LimitedLevel, width: number): Seat {
    let isHeld = true;
    const release = (): void => {
      if (!isHeld) return;
      isHeld = false;
      stop();
      level.release(width);
    };
    const stop = this.#holds.begin(release);
    return { release };
  }

  close(): void {
    this.#waits.close();
    this.#holds.close();
  }
}

function widthOf(objects: number, seats: number): number {
  const most = Math.max(1, Math.min(mostWidth, Math.ceil(seats * mostPart)));
  return Math.max(1, Math.min(most, Math.ceil(objects / 100)));
}

function levelsOf({ levels }: FlowConfig): ReadonlyMap<string, LimitedLevel> {
  const limited = levels.flatMap((level) => (level.type === "Limited" ? [level] : []));
  const shares = limited.reduce((sum, level) => sum + level.shares, 0);
  return new Map(
    limited.map((level) => [
      level.name,
      new LimitedLevel(Math.ceil((allSeats * level.shares) / shares), level.queuing),
    ]),
  );
}
