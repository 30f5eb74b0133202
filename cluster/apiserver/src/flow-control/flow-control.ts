import type { Clock, Timer } from "@kedge/machinery";
import type { Attributes } from "../auth/types.ts";
import { SharedTimeout } from "../request/shared-timeout.ts";
import { FlowIndex } from "./flow-index.ts";
import { LevelSeats, type LevelState } from "./level-seats.ts";
import type { LimitedLevel } from "./limited-level.ts";
import type { FlowSchema, PriorityLevel } from "./types.ts";

/** To which objects a request belongs, by their uids. */
export interface Flow {
  readonly schema: string;
  readonly level: string;
}

/** What is said to whom no seat is given. */
export class TooManyRequests extends Error {
  override readonly name = "TooManyRequests";
  readonly flow: Flow;
  /** In seconds. */
  readonly retryAfter: number;

  constructor(message: string, flow: Flow, retryAfter: number) {
    super(message);
    this.flow = flow;
    this.retryAfter = retryAfter;
  }
}

/** Seats that a request holds. Giving them back twice is giving them back once. */
export interface Seat {
  release(): void;
}

/** A request that is let in. */
export interface Admitted {
  readonly flow: Flow;
  /** Undefined when it needs none. */
  readonly seat: Seat | undefined;
}

/** A request that wants in. */
export interface Entering {
  readonly attributes: Attributes;
  /** How many objects it will have to look at; asked only when it matters. */
  readonly objects: () => number;
  /** How many bytes it keeps in memory while it waits. Default 0. */
  readonly bytes?: number | undefined;
  /** So long it may wait, in milliseconds. Default, and at most: a quarter of the time that a request may take. */
  readonly patience?: number | undefined;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal?: AbortSignal | undefined;
}

/** No request takes more seats than this, or than this part of its level's. */
const [mostWidth, mostPart] = [10, 0.15];
const longestWait = 15_000;
/** After so long seats are given back, whatever became of the request: its client has been told by then, or has gone. */
const longestHold = 65_000;
/** So many requests wait at a time, with so many bytes in all, whatever the queues of the levels would hold. */
const [mostWaiting, mostWaitingBytes] = [10_000, 256 * 1024 * 1024];
/** Seats are lent and borrowed so often while some wait for them, in milliseconds, and for so long after. */
const [lendingPeriod, lendingAfter] = [10_000, 5 * 60_000];

/** Who may ask at the same time as others: seats for each level, and in each level a fair share for each flow. */
export class FlowControl {
  readonly #clock: Clock;
  readonly #waits: SharedTimeout;
  readonly #holds: SharedTimeout;
  readonly #levels: LevelSeats;
  readonly #schemas: FlowIndex;
  #waiting = 0;
  #waitingBytes = 0;
  #lending: Timer | undefined;
  #lastContention = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#waits = new SharedTimeout(clock, longestWait);
    this.#holds = new SharedTimeout(clock, longestHold);
    this.#levels = new LevelSeats(clock);
    this.#schemas = new FlowIndex(({ level }) => this.#levels.has(level));
  }

  /** From now on this counts. Requests that wait keep their places. */
  setLevel(level: PriorityLevel): void {
    this.#levels.set(level);
    this.#schemas.forget();
  }

  /** Schemas of a level that is not there are passed over. */
  deleteLevel(name: string): void {
    this.#levels.delete(name);
    this.#schemas.forget();
  }

  setSchema(schema: FlowSchema): void {
    this.#schemas.set(schema);
  }

  deleteSchema(name: string): void {
    this.#schemas.delete(name);
  }

  /** What a level holds and has waiting; undefined of one that has no limits. */
  load(
    level: string,
  ): { readonly seats: number; readonly inUse: number; readonly waiting: number } | undefined {
    const { limited } = this.#levels.get(level) ?? {};
    return limited && { seats: limited.seats, inUse: limited.inUse, waiting: limited.waiting };
  }

  /** Takes a seat for a request, at once where that can be. Throws, or rejects with, `TooManyRequests`. */
  enter(entering: Entering): Admitted | Promise<Admitted> {
    const { attributes, objects } = entering;
    // What matches nothing is as if it matched the last of all.
    const schema = this.#schemas.match(attributes) ?? this.#schemas.get("catch-all");
    const state = schema && this.#levels.get(schema.level);
    if (schema === undefined || state === undefined)
      return { flow: { schema: "", level: "" }, seat: undefined };
    const flow = { schema: schema.uid, level: state.level.uid };
    const { limited, bounds } = state;
    if (limited === undefined) return { flow, seat: undefined };
    const width = widthOf(objects(), bounds.nominal);
    if (limited.take(width)) return { flow, seat: this.#held(limited, width) };
    this.#contend();
    return this.#queued(entering, { state, limited, flow, width, id: flowId(schema, attributes) });
  }

  #queued(
    { patience = longestWait, signal, bytes = 0 }: Entering,
    {
      state,
      limited,
      flow,
      width,
      id,
    }: {
      readonly state: LevelState;
      readonly limited: LimitedLevel;
      readonly flow: Flow;
      readonly width: number;
      readonly id: string;
    },
  ): Promise<Admitted> {
    const { promise, resolve, reject } = Promise.withResolvers<Admitted>();
    const refused = (why: string): TooManyRequests =>
      new TooManyRequests(`the level ${state.level.name} ${why}`, flow, state.retryAfter.refuse());
    const leave = (): void => {
      this.#waiting--;
      this.#waitingBytes -= bytes;
      stop();
      signal?.removeEventListener("abort", vanished);
    };
    const isTooMuch = this.#waiting >= mostWaiting || this.#waitingBytes + bytes > mostWaitingBytes;
    const giveUp =
      isTooMuch || signal?.aborted === true
        ? undefined
        : limited.wait(id, width, () => {
            leave();
            resolve({ flow, seat: this.#held(limited, width) });
          });
    if (giveUp === undefined) throw refused("is full");
    this.#waiting++;
    this.#waitingBytes += bytes;
    const end = (why: string): void => {
      leave();
      giveUp();
      reject(refused(why));
    };
    const vanished = (): void => end("had a request whose client has gone");
    const expired = (): void => end("had no seat in time");
    const timer = patience < longestWait ? this.#clock.timer(patience, expired) : undefined;
    const stop = timer === undefined ? this.#waits.begin(expired) : (): void => timer.cancel();
    signal?.addEventListener("abort", vanished, { once: true });
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

  /** Somebody finds no seat: until some time after the last one did, levels lend each other what they do not need. */
  #contend(): void {
    this.#lastContention = this.#clock.monotonic();
    if (this.#lending !== undefined) return;
    this.#levels.forgetDemand();
    this.#lending = this.#clock.timer(lendingPeriod, () => this.#lend());
  }

  #lend(): void {
    const isOver = this.#waiting === 0 && this.#clock.monotonic() - this.#lastContention > lendingAfter;
    if (isOver) this.#levels.forgetDemand();
    this.#lending = isOver ? undefined : this.#clock.timer(lendingPeriod, () => this.#lend());
    this.#levels.rebalance();
  }

  close(): void {
    this.#waits.close();
    this.#holds.close();
    this.#lending?.cancel();
    this.#lending = undefined;
  }
}

/** What tells a flow apart from others of its level. */
function flowId({ name, distinguisher }: FlowSchema, { user, resource }: Attributes): string {
  if (distinguisher === undefined) return name;
  return `${name}/${distinguisher === "ByUser" ? user.name : (resource?.namespace ?? "")}`;
}

function widthOf(objects: number, seats: number): number {
  const most = Math.max(1, Math.min(mostWidth, Math.ceil(seats * mostPart)));
  return Math.max(1, Math.min(most, Math.ceil(objects / 100)));
}
