import type { RedisConnection } from "./connection.ts";
import { isList } from "./replies.ts";

/** An acknowledged write that is not there any more. */
export interface LostWrite {
  readonly number: number;
  /** When it was acknowledged, by the clock's monotonic time. */
  readonly at: number;
  readonly runId: string;
  /** Whether `WAIT` had said that replicas have it. */
  readonly isConfirmed: boolean;
}

/** What one server has acknowledged. */
export interface ServerPage {
  readonly runId: string;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly count: number;
}

/** All acknowledged writes of a client, with their times, by the clock's monotonic time. */
export class LedgerBook {
  readonly #now: () => number;
  readonly #name: string;
  /** By number; NaN while it is not acknowledged. */
  readonly #times: number[] = [];
  /** By number: the place of the server in `#runIds`. */
  readonly #servers: number[] = [];
  readonly #runIds: string[] = [];
  readonly #confirmed = new Set<number>();
  readonly #refusals = new Map<string, number>();
  readonly #began: number;
  #lastAt: number;
  #acknowledged = 0;
  #end: number | undefined;

  constructor(name: string, now: () => number) {
    this.#name = name;
    this.#now = now;
    this.#began = now();
    this.#lastAt = now();
  }

  /** How many writes were acknowledged. */
  get acknowledged(): number {
    return this.#acknowledged;
  }

  /** How many of those `WAIT` has confirmed. */
  get confirmed(): number {
    return this.#confirmed.size;
  }

  /** When the last write was acknowledged; the beginning when none was. */
  get lastAt(): number {
    return this.#lastAt;
  }

  /** What servers answered instead, by the first word, and how often. */
  get refusals(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#refusals);
  }

  /** The servers that acknowledged writes, in the order of their first. */
  get servers(): readonly ServerPage[] {
    const pages = this.#runIds.map((runId) => ({ runId, firstAt: Infinity, lastAt: 0, count: 0 }));
    for (const [number, at] of this.#times.entries()) {
      const page = pages[this.#servers[number] ?? -1];
      if (page === undefined) continue;
      page.count++;
      page.firstAt = Math.min(page.firstAt, at);
      page.lastAt = Math.max(page.lastAt, at);
    }
    return pages;
  }

  /** All acknowledged writes. */
  get writes(): readonly { readonly key: string; readonly value: string; readonly isConfirmed: boolean }[] {
    return [...this.#times.keys()]
      .filter((number) => !Number.isNaN(this.#times[number] ?? NaN))
      .map((number) => ({
        key: this.keyOf(number),
        value: String(number),
        isConfirmed: this.#confirmed.has(number),
      }));
  }

  /** The longest time without an acknowledgement: all of it, or what of it lies behind a moment. */
  longestGap(since = this.#began): number {
    let [longest, last] = [0, since];
    for (const at of this.#times.filter((time) => time >= since).toSorted((one, other) => one - other)) {
      longest = Math.max(longest, at - last);
      last = at;
    }
    return Math.max(longest, (this.#end ?? this.#now()) - last);
  }

  /** The times without an acknowledgement that were longer than this, in their order. */
  gapsOver(ms: number): readonly number[] {
    const times = this.#times.filter((time) => !Number.isNaN(time)).toSorted((one, other) => one - other);
    return [...times, this.#end ?? this.#now()]
      .map((at, index) => at - (times[index - 1] ?? this.#began))
      .filter((gap) => gap > ms);
  }

  /** How long nobody acknowledged anything each time that another server went on: what a change of the primary took. */
  changeGaps(since = this.#began): readonly number[] {
    const acknowledged = [...this.#times.keys()]
      .map((number) => ({ at: this.#times[number] ?? NaN, server: this.#servers[number] }))
      .filter(({ at }) => at >= since)
      .toSorted((one, other) => one.at - other.at);
    return acknowledged.flatMap(({ at, server }, index) => {
      const before = acknowledged[index - 1];
      return before === undefined || before.server === server ? [] : [at - before.at];
    });
  }

  /** How many writes a server has acknowledged behind a moment. */
  acknowledgedBy(runId: string, since: number): number {
    const server = this.#runIds.indexOf(runId);
    return this.#times.filter((at, number) => this.#servers[number] === server && at > since).length;
  }

  /** How many writes were acknowledged behind a moment by servers other than this one. */
  acknowledgedByOthers(runId: string, since: number): number {
    const server = this.#runIds.indexOf(runId);
    return this.#times.filter((at, number) => this.#servers[number] !== server && at > since).length;
  }

  /**
   * How many writes servers have acknowledged after another one had taken over from them: a server that acknowledges
   * first after another did is the later primary.
   */
  acknowledgedWhenReplaced(): number {
    const pages = this.servers;
    return pages
      .map(({ runId }, index) => {
        const next = pages[index + 1];
        return next === undefined ? 0 : this.acknowledgedBy(runId, next.firstAt);
      })
      .reduce((sum, count) => sum + count, 0);
  }

  /** Looks for every acknowledged write in a server. */
  async lostOn(connection: Pick<RedisConnection, "call">): Promise<readonly LostWrite[]> {
    const numbers = [...this.#times.keys()].filter((number) => !Number.isNaN(this.#times[number] ?? NaN));
    const lost: LostWrite[] = [];
    for (let from = 0; from < numbers.length; from += perQuestion) {
      const some = numbers.slice(from, from + perQuestion);
      const reply = await connection.call(["MGET", ...some.map((number) => this.keyOf(number))], 60_000);
      if (!isList(reply)) throw new Error(`MGET was answered by ${String(reply)}`);
      for (const [index, number] of some.entries()) {
        if (reply[index] === String(number)) continue;
        const runId = this.#runIds[this.#servers[number] ?? -1] ?? "";
        const at = this.#times[number] ?? NaN;
        lost.push({ number, at, runId, isConfirmed: this.#confirmed.has(number) });
      }
    }
    return lost;
  }

  keyOf(number: number): string {
    return `${this.#name}:${number}`;
  }

  begin(): number {
    this.#servers.push(-1);
    return this.#times.push(NaN) - 1;
  }

  acknowledge(number: number, runId: string): void {
    if (!this.#runIds.includes(runId)) this.#runIds.push(runId);
    this.#times[number] = this.#now();
    this.#servers[number] = this.#runIds.indexOf(runId);
    this.#lastAt = this.#now();
    this.#acknowledged++;
  }

  confirm(numbers: readonly number[]): void {
    for (const number of numbers) if (!Number.isNaN(this.#times[number] ?? NaN)) this.#confirmed.add(number);
  }

  refuse(code: string): void {
    this.#refusals.set(code, (this.#refusals.get(code) ?? 0) + 1);
  }

  end(): void {
    this.#end ??= this.#now();
  }
}

/** Keys of one MGET. */
const perQuestion = 2000;
