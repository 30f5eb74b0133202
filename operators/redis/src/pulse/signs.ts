import type { RedisFailure } from "../engine/failure.ts";
import { forkFacts, type ForkFacts } from "../engine/server-facts.ts";
import type { Beat } from "./ask.ts";
import type { Answer, Found, PulseTimes, Sighting } from "./types.ts";

/** Milliseconds after which nothing is gained by asking a silent server often. */
const longSilence = 30_000;

/** A stream that is found to have moved so often is moved by writes: pings come once a second. */
const busy = { mostGapMs: 700, leastMs: 1000 } as const;

/** What is known of one server, and for how long it has been so. It asks nobody. Times are of a monotonic clock. */
export class Signs {
  readonly #now: () => number;
  readonly #times: PulseTimes;
  #hasEverAnswered = false;
  #failure: RedisFailure | undefined;
  #silentSince: number | undefined;
  #misses = 0;
  #missedAt: number | undefined;
  #isReached = false;
  /** The replication offset of a replica, and since when it is that. */
  #offset: number | undefined;
  #movedAt: number | undefined;
  /** Since when it has never stood still for longer than a stream of writes does. */
  #busySince = 0;
  /** What the last beat found. */
  #beat: string | undefined;
  #forks: ForkFacts | undefined;
  #forksAt = 0;

  constructor(now: () => number, times: PulseTimes) {
    this.#now = now;
    this.#times = times;
  }

  get hasEverAnswered(): boolean {
    return this.#hasEverAnswered;
  }

  /** Why the last question was not answered; undefined when it was. */
  get failure(): RedisFailure | undefined {
    return this.#failure;
  }

  /** One question was missed, and is to be asked again on a new connection. */
  get isDoubted(): boolean {
    return this.#misses === 1;
  }

  get silentSince(): number | undefined {
    return this.#silentSince;
  }

  /** What the last beat found, in words; undefined before the first one. */
  get beat(): string | undefined {
    return this.#beat;
  }

  /** It has told all of itself. */
  answers({ facts }: Answer): void {
    this.#forks = facts.forks;
    this.#forksAt = this.#now();
    this.#hasEverAnswered = true;
    this.#isHeard();
    this.#moves(facts.role === "replica" ? facts.history.offset : undefined);
  }

  /** What the next beat asks for beside the role: sections of INFO. Who follows another one is not missed when it hangs. */
  sections(): readonly string[] {
    const isDue = this.#now() - this.#forksAt >= this.#times.forksMs;
    if (this.#beat !== "primary" || !isDue) return [];
    return this.#forks?.isUnderWay === true ? ["persistence", "stats"] : ["persistence"];
  }

  /** It has told its role. Gives whether that is news. */
  beats({ role, info }: Beat): boolean {
    if (info.size > 0) {
      this.#forks = forkFacts(info, this.#forks);
      this.#forksAt = this.#now();
    }
    const wasSilent = this.#failure !== undefined;
    const before = this.#beat;
    this.#moves(role?.role === "replica" ? role.offset : undefined);
    // Followers and offsets change with every write: they are nobody's reason to look.
    this.#beat =
      role?.role === "replica" ? `replica of ${role.host}:${role.port} ${role.state}` : String(role?.role);
    this.#isHeard();
    return wasSilent || (before !== undefined && before !== this.#beat);
  }

  /** Silent since it was asked what it has not answered. */
  fails(failure: RedisFailure, asked: number): void {
    this.#failure = failure;
    this.#silentSince ??= asked;
    this.#misses += 1;
    this.#missedAt = this.#now();
  }

  /** A beat has failed. Gives whether that is news: what was only late is asked again first. */
  misses(failure: RedisFailure, asked: number): boolean {
    const wasSilent = this.#failure !== undefined;
    const wasDoubted = this.isDoubted;
    this.fails(failure, asked);
    // The one that was kept is closed since it was silent: this was another one.
    if (wasSilent) this.#isReached = failure.wasReached;
    return failure.code === "TIMEOUT" ? wasDoubted : !wasSilent;
  }

  /** Its connection was lost: whatever the next beat finds is news. */
  isLost(): void {
    this.#beat = "lost";
  }

  /** Milliseconds until the next beat. */
  pause(): number {
    const { beatMs, primaryBeatMs, silentBeatMs, restMs } = this.#times;
    if (this.#failure === undefined) return this.#beat === "primary" ? primaryBeatMs : beatMs;
    if (this.isDoubted && this.#failure.code === "TIMEOUT") return 0;
    return this.#now() - (this.#silentSince ?? 0) < longSilence ? silentBeatMs : restMs;
  }

  /** All of it, after a look. */
  sighting({ answer, failure: missed, asked }: Found): Sighting {
    const now = this.#now();
    const failure = this.#failure ?? missed;
    const silentSince = this.#silentSince ?? asked;
    const movedAt = this.#movedAt ?? 0;
    return {
      answer: failure === undefined ? answer : undefined,
      failure,
      silentMs: silentSince === undefined ? 0 : now - silentSince,
      missedAt: this.#missedAt,
      isReached: this.#isReached,
      stalledMs: this.#movedAt === undefined ? 0 : now - movedAt,
      wasBusy: movedAt - this.#busySince >= busy.leastMs,
      forks: this.#forks,
    };
  }

  #isHeard(): void {
    this.#failure = undefined;
    this.#silentSince = undefined;
    this.#misses = 0;
    this.#isReached = false;
    this.#missedAt = undefined;
  }

  #moves(offset: number | undefined): void {
    if (this.#offset === offset && this.#movedAt !== undefined) return;
    const now = this.#now();
    if (this.#movedAt === undefined || now - this.#movedAt > busy.mostGapMs) this.#busySince = now;
    this.#movedAt = now;
    this.#offset = offset;
  }
}
