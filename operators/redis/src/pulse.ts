import { deepEqual, inBackground, keyToString, type Clock, type ObjectKey } from "@kedge/machinery";
import type { Enqueue } from "@kedge/runtime";
import { RedisFailure } from "./engine/failure.ts";
import { parseRole } from "./engine/role.ts";
import { serverFacts, type ServerFacts } from "./engine/server-facts.ts";
import type { Engine, Login, RedisServer, Reply } from "./engine/types.ts";
import { redisPort } from "./names.ts";

/** A server to look at. */
export interface PulseTarget {
  /** Of its pod: another one is another server. */
  readonly uid: string;
  readonly host: string;
  readonly login: Login;
}

/** What a server answered. */
export interface Answer {
  readonly facts: ServerFacts;
  readonly users: readonly string[];
}

/** What is known of a server. */
export interface Sighting {
  /** To this very look: what was said before may not be so any more. */
  readonly answer: Answer | undefined;
  /** Why there was no answer. */
  readonly failure: RedisFailure | undefined;
  /** For how many milliseconds it has not answered. */
  readonly silentMs: number;
  /** When the last question was given up to which there was no answer, by the clock's monotonic time. */
  readonly missedAt: number | undefined;
  /** Its machine has taken a new connection since it does not answer: it is not the way there that is cut. */
  readonly isReached: boolean;
  /** For how many milliseconds its replication offset has stood still, as far as anybody looked. */
  readonly stalledMs: number;
  /** Before it stood still it had moved all the time: by more than the pings of a primary. */
  readonly wasBusy: boolean;
  readonly hasEverAnswered: boolean;
}

/** How often servers are looked at. */
export interface PulseTimes {
  /** Between two beats. */
  readonly beatMs: number;
  /** Between two of a primary: writes wait for what they find. */
  readonly primaryBeatMs: number;
  /** Between two while there is no answer. */
  readonly silentBeatMs: number;
  /** Until a server counts as silent. */
  readonly timeoutMs: number;
  /** Until its peers are asked what they hear of it. */
  readonly doubtMs: number;
  /** For an answer on a new connection, when there was none on the one that was kept. */
  readonly secondMs: number;
  /** A server that has never answered is not asked again before. */
  readonly restMs: number;
}

/** Milliseconds after which nothing is gained by asking a silent server often. */
const longSilence = 30_000;

const defaultTimes: PulseTimes = {
  beatMs: 500,
  primaryBeatMs: 250,
  silentBeatMs: 250,
  timeoutMs: 600,
  doubtMs: 200,
  secondMs: 300,
  restMs: 2000,
};

/** A stream that is found to have moved so often is moved by writes: pings come once a second. */
const busy = { mostGapMs: 700, leastMs: 1000 } as const;

/**
 * Keeps a connection to each server of instances with replicas, and asks on it twice a second for its role, a primary
 * four times. When an answer is late, the others are asked what they hear of that server; when it is missing, that is
 * asked again at once on a new connection. An instance is to be looked at at once when a connection is lost, an answer is
 * missing or another than before. An instance of which no server has ever answered is asked only when somebody looks: its
 * pods are simulated, or cannot be reached from here.
 */
export class Pulse {
  readonly #engine: Engine;
  readonly #clock: Clock;
  readonly #times: PulseTimes;
  readonly #watched = new Map<string, Watched>();
  readonly #instances = new Map<string, readonly string[]>();
  #enqueue: Enqueue | undefined;

  constructor(engine: Engine, clock: Clock, times: PulseTimes = defaultTimes) {
    this.#engine = engine;
    this.#clock = clock;
    this.#times = times;
  }

  /** From now on a controller is told which instances to look at. */
  start(enqueue: Enqueue): void {
    this.#enqueue = enqueue;
    for (const watched of this.#watched.values()) this.#beatOn(watched);
  }

  /** Closes all connections. */
  stop(): void {
    this.#enqueue = undefined;
    for (const uid of this.#watched.keys()) this.#drop(uid);
    this.#instances.clear();
  }

  /**
   * Looks at the servers of an instance, and keeps looking at them when `isKept`. Servers that it had before and that are
   * not among the targets are left alone from now on.
   */
  async look(
    key: ObjectKey,
    targets: readonly PulseTarget[],
    { isKept, signal }: { readonly isKept: boolean; readonly signal: AbortSignal },
  ): Promise<ReadonlyMap<string, Sighting>> {
    const name = keyToString(key);
    const uids = targets.map(({ uid }) => uid);
    for (const uid of this.#instances.get(name) ?? []) if (!uids.includes(uid)) this.#drop(uid);
    if (uids.length === 0) this.#instances.delete(name);
    else this.#instances.set(name, uids);
    const found = await Promise.all(
      targets.map(async (target) => {
        const watched = this.#watch(key, target);
        watched.isKept = isKept;
        const found = await this.#lookAt(watched, signal);
        this.#beatOn(watched);
        return [target.uid, this.#sighting(watched, found)] as const;
      }),
    );
    return new Map(found);
  }

  /** The instance is gone. */
  forget(key: ObjectKey): void {
    const name = keyToString(key);
    for (const uid of this.#instances.get(name) ?? []) this.#drop(uid);
    this.#instances.delete(name);
  }

  #watch(key: ObjectKey, target: PulseTarget): Watched {
    const before = this.#watched.get(target.uid);
    const isSame =
      before !== undefined &&
      before.target.host === target.host &&
      deepEqual(before.target.login, target.login);
    if (isSame) return before;
    this.#drop(target.uid);
    const server = this.#engine.server({ host: target.host, port: redisPort }, target.login);
    const watched: Watched = { key, target, server, isKept: false, hasEverAnswered: false };
    // Whoever closes a connection may live on: what the server says now is what counts.
    server.onLost(() => {
      if (!watched.isKept || this.#enqueue === undefined || watched.isBeating === true) return;
      watched.timer?.cancel();
      delete watched.timer;
      watched.isBeating = true;
      delete watched.beat;
      inBackground(this.#beat(watched, "lost"), () => undefined);
    });
    this.#watched.set(target.uid, watched);
    return watched;
  }

  #drop(uid: string): void {
    const watched = this.#watched.get(uid);
    if (watched === undefined) return;
    this.#watched.delete(uid);
    watched.timer?.cancel();
    watched.server[Symbol.dispose]();
  }

  /** What a silent server says its beats find out: whoever looks need not wait for it. */
  async #lookAt(watched: Watched, signal: AbortSignal): Promise<Found> {
    const { failure, silentSince = 0, lastAsked = 0, hasEverAnswered } = watched;
    const isBeating = watched.timer !== undefined || watched.isBeating === true;
    if (failure !== undefined && isBeating && !failure.isReply) return {};
    const isResting = this.#clock.monotonic() - Math.max(silentSince, lastAsked) < this.#times.restMs;
    if (failure !== undefined && !hasEverAnswered && isResting && !failure.isReply) return {};
    const found = await this.#ask(watched, signal);
    // Whoever closes a connection may live on: what is asked on a new one counts.
    const isLost = found.failure?.code === "CLOSED" || found.failure?.code === "HALFREPLY";
    return isLost ? await this.#ask(watched, signal) : found;
  }

  async #ask(watched: Watched, signal: AbortSignal): Promise<Found> {
    const asked = this.#clock.monotonic();
    watched.lastAsked = asked;
    try {
      const replies = await watched.server.call([["ACL", "USERS"], ["INFO"]], {
        timeoutMs: this.#times.timeoutMs,
        signal,
      });
      const answer = answerOf(replies);
      this.#answers(watched, answer);
      return { answer };
    } catch (error) {
      if (!(error instanceof RedisFailure)) throw error;
      // A beat that is under way finds the same, and counts it.
      if (error.code !== "ABORTED" && watched.isBeating !== true) this.#fails(watched, error, asked);
      return { failure: error, asked };
    }
  }

  #beatOn(watched: Watched): void {
    const isWanted = this.#enqueue !== undefined && watched.isKept && this.#isReached(watched.key);
    if (!isWanted || watched.timer !== undefined || watched.isBeating === true) return;
    watched.timer = this.#clock.timer(this.#pauseBefore(watched), () => {
      delete watched.timer;
      watched.isBeating = true;
      inBackground(this.#beat(watched), () => undefined);
    });
  }

  #pauseBefore({ failure, silentSince = 0, misses = 0, beat }: Watched): number {
    const { beatMs, primaryBeatMs, silentBeatMs, restMs } = this.#times;
    if (failure === undefined) return beat === "primary" ? primaryBeatMs : beatMs;
    if (misses === 1 && failure.code === "TIMEOUT") return 0;
    return this.#clock.monotonic() - silentSince < longSilence ? silentBeatMs : restMs;
  }

  /** Those of the same instance, at once: what they say now is compared with what they say later. */
  #beatPeers({ key, target }: Watched): void {
    for (const uid of this.#instances.get(keyToString(key)) ?? []) {
      const peer = this.#watched.get(uid);
      if (uid === target.uid || peer?.timer === undefined || peer.failure !== undefined) continue;
      peer.timer.cancel();
      delete peer.timer;
      peer.isBeating = true;
      inBackground(this.#beat(peer), () => undefined);
    }
  }

  /** Whether any server of an instance has ever answered: then the others are worth asking, too. */
  #isReached(key: ObjectKey): boolean {
    const uids = this.#instances.get(keyToString(key)) ?? [];
    return uids.some((uid) => this.#watched.get(uid)?.hasEverAnswered === true);
  }

  async #beat(watched: Watched, before = watched.beat): Promise<void> {
    const wasSilent = watched.failure !== undefined;
    const asked = this.#clock.monotonic();
    const { timeoutMs, secondMs, doubtMs } = this.#times;
    const isSecond = watched.misses === 1;
    const doubt = wasSilent ? undefined : this.#clock.timer(doubtMs, () => this.#beatPeers(watched));
    try {
      const [reply = null] = await watched.server.call([["ROLE"]], {
        timeoutMs: isSecond ? secondMs : timeoutMs,
      });
      const role = parseRole(reply);
      const isMoving = role?.role === "replica" ? role.offset : undefined;
      this.#moved(watched, isMoving);
      // Followers and offsets change with every write: they are nobody's reason to look.
      watched.beat =
        role?.role === "replica" ? `replica of ${role.host}:${role.port} ${role.state}` : String(role?.role);
      this.#isHeard(watched);
      if (wasSilent || (before !== undefined && before !== watched.beat))
        this.#enqueue?.(watched.key, `${watched.target.host} is ${watched.beat}`);
    } catch (error) {
      if (!(error instanceof RedisFailure) || error.code === "ABORTED") return;
      this.#fails(watched, error, asked);
      // The one that was kept is closed since it was silent: this was another one.
      if (wasSilent) watched.isReached = error.wasReached;
      // What was only late is asked again first.
      const isNews = error.code === "TIMEOUT" ? isSecond : !wasSilent;
      if (isNews) this.#enqueue?.(watched.key, `no answer of ${watched.target.host}: ${error.code}`);
    } finally {
      doubt?.cancel();
      watched.isBeating = false;
      if (this.#watched.get(watched.target.uid) === watched) this.#beatOn(watched);
    }
  }

  #answers(watched: Watched, answer: Answer): void {
    watched.hasEverAnswered = true;
    this.#isHeard(watched);
    this.#moved(watched, answer.facts.role === "replica" ? answer.facts.history.offset : undefined);
  }

  #isHeard(watched: Watched): void {
    delete watched.failure;
    delete watched.silentSince;
    delete watched.misses;
    delete watched.isReached;
    delete watched.missedAt;
  }

  /** Silent since it was asked what it has not answered. */
  #fails(watched: Watched, failure: RedisFailure, asked: number): void {
    watched.failure = failure;
    watched.silentSince ??= asked;
    watched.misses = (watched.misses ?? 0) + 1;
    watched.missedAt = this.#clock.monotonic();
  }

  #moved(watched: Watched, offset: number | undefined): void {
    const { movedAt } = watched;
    if (watched.offset === offset && movedAt !== undefined) return;
    const now = this.#clock.monotonic();
    if (movedAt === undefined || now - movedAt > busy.mostGapMs) watched.busySince = now;
    watched.movedAt = now;
    if (offset === undefined) delete watched.offset;
    else watched.offset = offset;
  }

  #sighting(watched: Watched, { answer, failure: missed, asked }: Found): Sighting {
    const { movedAt = 0, busySince = 0, hasEverAnswered } = watched;
    const failure = watched.failure ?? missed;
    const silentSince = watched.silentSince ?? asked;
    const now = this.#clock.monotonic();
    return {
      answer: failure === undefined ? answer : undefined,
      failure,
      silentMs: silentSince === undefined ? 0 : now - silentSince,
      missedAt: watched.missedAt,
      isReached: watched.isReached ?? false,
      stalledMs: watched.movedAt === undefined ? 0 : now - movedAt,
      wasBusy: movedAt - busySince >= busy.leastMs,
      hasEverAnswered,
    };
  }
}

/** What one look has found: an answer, or none, and since when it was waited for. Nothing, when nobody was asked. */
interface Found {
  readonly answer?: Answer;
  readonly failure?: RedisFailure;
  readonly asked?: number;
}

interface Watched {
  readonly key: ObjectKey;
  readonly target: PulseTarget;
  readonly server: RedisServer;
  isKept: boolean;
  hasEverAnswered: boolean;
  failure?: RedisFailure;
  silentSince?: number;
  /** How many questions it has not answered, one after the other. */
  misses?: number;
  isReached?: boolean;
  missedAt?: number;
  lastAsked?: number;
  /** The replication offset of a replica, and since when it is that. */
  offset?: number;
  movedAt?: number;
  /** Since when it has never stood still for longer than a stream of writes does. */
  busySince?: number;
  /** What the last beat found. */
  beat?: string;
  isBeating?: boolean;
  timer?: { cancel(): void };
}

function answerOf([users, info]: readonly Reply[]): Answer {
  if (users instanceof RedisFailure) throw users;
  if (info instanceof RedisFailure) throw info;
  if (typeof info !== "string" || !Array.isArray(users)) throw new RedisFailure("PROTOCOL", "no INFO");
  const names: readonly unknown[] = users;
  return {
    facts: serverFacts(info),
    users: names.filter((name): name is string => typeof name === "string"),
  };
}
