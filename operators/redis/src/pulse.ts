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
  /** Of the last look that was answered, if the last one was. */
  readonly answer: Answer | undefined;
  /** Why there was no answer. */
  readonly failure: RedisFailure | undefined;
  /** For how many milliseconds it has not answered. */
  readonly silentMs: number;
  /** For how many milliseconds its replication offset has stood still, as far as anybody looked. */
  readonly stalledMs: number;
  readonly hasEverAnswered: boolean;
}

/** How often servers are looked at. */
export interface PulseTimes {
  /** Between two beats. */
  readonly beatMs: number;
  /** Between two while there is no answer. */
  readonly silentBeatMs: number;
  /** Until a server counts as silent. */
  readonly timeoutMs: number;
  /** A server that has never answered is not asked again before. */
  readonly restMs: number;
}

/** Milliseconds after which nothing is gained by asking a silent server often. */
const longSilence = 30_000;

const defaultTimes: PulseTimes = { beatMs: 500, silentBeatMs: 250, timeoutMs: 700, restMs: 2000 };

/**
 * Keeps a connection to each server of instances with replicas, and asks on it twice a second for its role. An instance
 * is to be looked at at once when a connection is lost, an answer is missing or another than before. An instance of which
 * no server has ever answered is asked only when somebody looks: its pods are simulated, or cannot be reached from here.
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
        await this.#lookAt(watched, signal);
        this.#beatOn(watched);
        return [target.uid, this.#sighting(watched)] as const;
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
  async #lookAt(watched: Watched, signal: AbortSignal): Promise<void> {
    const { failure, silentSince = 0, lastAsked = 0, hasEverAnswered } = watched;
    const isBeating = watched.timer !== undefined || watched.isBeating === true;
    if (failure !== undefined && isBeating && !failure.isReply) return;
    const isResting = this.#clock.monotonic() - Math.max(silentSince, lastAsked) < this.#times.restMs;
    if (failure !== undefined && !hasEverAnswered && isResting && !failure.isReply) return;
    const asked = this.#clock.monotonic();
    watched.lastAsked = asked;
    try {
      const replies = await watched.server.call([["ACL", "USERS"], ["INFO"]], {
        timeoutMs: this.#times.timeoutMs,
        signal,
      });
      this.#answers(watched, answerOf(replies));
    } catch (error) {
      if (!(error instanceof RedisFailure)) throw error;
      if (error.code !== "ABORTED") this.#fails(watched, error, asked);
    }
  }

  #beatOn(watched: Watched): void {
    const isWanted = this.#enqueue !== undefined && watched.isKept && this.#isReached(watched.key);
    if (!isWanted || watched.timer !== undefined || watched.isBeating === true) return;
    const { beatMs, silentBeatMs, restMs } = this.#times;
    const silentMs = this.#clock.monotonic() - (watched.silentSince ?? 0);
    const ms = watched.failure === undefined ? beatMs : silentMs < longSilence ? silentBeatMs : restMs;
    watched.timer = this.#clock.timer(ms, () => {
      delete watched.timer;
      watched.isBeating = true;
      inBackground(this.#beat(watched), () => undefined);
    });
  }

  /** Whether any server of an instance has ever answered: then the others are worth asking, too. */
  #isReached(key: ObjectKey): boolean {
    const uids = this.#instances.get(keyToString(key)) ?? [];
    return uids.some((uid) => this.#watched.get(uid)?.hasEverAnswered === true);
  }

  async #beat(watched: Watched, before = watched.beat): Promise<void> {
    const wasSilent = watched.failure !== undefined;
    const asked = this.#clock.monotonic();
    try {
      const [reply = null] = await watched.server.call([["ROLE"]], { timeoutMs: this.#times.timeoutMs });
      const role = parseRole(reply);
      const isMoving = role?.role === "replica" ? role.offset : undefined;
      this.#moved(watched, isMoving);
      // Followers and offsets change with every write: they are nobody's reason to look.
      watched.beat =
        role?.role === "replica" ? `replica of ${role.host}:${role.port} ${role.state}` : String(role?.role);
      delete watched.failure;
      delete watched.silentSince;
      if (wasSilent || (before !== undefined && before !== watched.beat))
        this.#enqueue?.(watched.key, `${watched.target.host} is ${watched.beat}`);
    } catch (error) {
      if (!(error instanceof RedisFailure) || error.code === "ABORTED") return;
      this.#fails(watched, error, asked);
      if (!wasSilent) this.#enqueue?.(watched.key, `no answer of ${watched.target.host}: ${error.code}`);
    } finally {
      watched.isBeating = false;
      if (this.#watched.get(watched.target.uid) === watched) this.#beatOn(watched);
    }
  }

  #answers(watched: Watched, answer: Answer): void {
    watched.answer = answer;
    watched.hasEverAnswered = true;
    delete watched.failure;
    delete watched.silentSince;
    this.#moved(watched, answer.facts.role === "replica" ? answer.facts.history.offset : undefined);
  }

  /** Silent since it was asked what it has not answered. */
  #fails(watched: Watched, failure: RedisFailure, asked: number): void {
    watched.failure = failure;
    watched.silentSince ??= asked;
  }

  #moved(watched: Watched, offset: number | undefined): void {
    if (watched.offset === offset && watched.movedAt !== undefined) return;
    watched.movedAt = this.#clock.monotonic();
    if (offset === undefined) delete watched.offset;
    else watched.offset = offset;
  }

  #sighting({ answer, failure, silentSince, movedAt, hasEverAnswered }: Watched): Sighting {
    const now = this.#clock.monotonic();
    return {
      answer: failure === undefined ? answer : undefined,
      failure,
      silentMs: silentSince === undefined ? 0 : now - silentSince,
      stalledMs: movedAt === undefined ? 0 : now - movedAt,
      hasEverAnswered,
    };
  }
}

interface Watched {
  readonly key: ObjectKey;
  readonly target: PulseTarget;
  readonly server: RedisServer;
  isKept: boolean;
  hasEverAnswered: boolean;
  answer?: Answer;
  failure?: RedisFailure;
  silentSince?: number;
  lastAsked?: number;
  /** The replication offset of a replica, and since when it is that. */
  offset?: number;
  movedAt?: number;
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
