import { deepEqual, inBackground, keyToString, type Clock, type ObjectKey } from "@kedge/machinery";
import type { Enqueue } from "@kedge/runtime";
import { RedisFailure } from "../engine/failure.ts";
import type { Engine, RedisServer } from "../engine/types.ts";
import { redisPort } from "../names.ts";
import { askAll, askBeat } from "./ask.ts";
import { Signs } from "./signs.ts";
import { defaultTimes, type Found, type PulseTarget, type PulseTimes, type Sighting } from "./types.ts";

/**
 * Keeps a connection to each server of instances with replicas, and asks on it twice a second for its role, a primary
 * four times. When an answer is late, the others are asked what they hear of that server; when it is missing, that is
 * asked again at once on a new connection. An instance is to be looked at at once when a connection is lost, an answer is
 * missing or another than before. Servers that are asked only when somebody looks (none of their instance has ever answered,
 * or it has one alone) are looked at again a few times when one did not answer, and then left alone: they are simulated,
 * or cannot be reached from here. What answers and silence mean is kept in `signs.ts`.
 */
export class Pulse {
  readonly #engine: Engine;
  readonly #clock: Clock;
  readonly #times: PulseTimes;
  readonly #watched = new Map<string, Watched>();
  readonly #instances = new Map<string, Instance>();
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
    for (const { key } of this.#instances.values()) this.forget(key);
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
    const uids = targets.map(({ uid }) => uid);
    for (const uid of this.#uidsOf(key)) if (!uids.includes(uid)) this.#drop(uid);
    if (uids.length === 0) {
      this.forget(key);
      return new Map();
    }
    const instance = this.#begin(key, uids);
    const found = await Promise.all(
      targets.map(async (target) => {
        const watched = this.#watch(key, target);
        watched.isKept = isKept;
        const answered = await this.#lookAt(watched, signal);
        this.#beatOn(watched);
        return [target.uid, watched.signs.sighting(answered)] as const;
      }),
    );
    this.#lookAgain(instance);
    return new Map(found);
  }

  /** The instance is gone. */
  forget(key: ObjectKey): void {
    const name = keyToString(key);
    for (const uid of this.#uidsOf(key)) this.#drop(uid);
    this.#instances.get(name)?.later?.cancel();
    this.#instances.delete(name);
  }

  #uidsOf(key: ObjectKey): readonly string[] {
    return this.#instances.get(keyToString(key))?.uids ?? [];
  }

  /** Somebody looks: because that was put off, or because something has happened, from which on looks count anew. */
  #begin(key: ObjectKey, uids: readonly string[]): Instance {
    const name = keyToString(key);
    const instance = this.#instances.get(name) ?? { key, uids, looks: 0, isDue: false };
    this.#instances.set(name, instance);
    instance.later?.cancel();
    delete instance.later;
    if (!instance.isDue) instance.looks = 0;
    instance.isDue = false;
    instance.uids = uids;
    return instance;
  }

  /** Nothing else may happen until a server answers that no beat asks: it is looked at again, ever later. */
  #lookAgain(instance: Instance): void {
    const silent = instance.uids
      .flatMap((uid) => this.#watched.get(uid) ?? [])
      .find(
        ({ signs, timer, isBeating }) => signs.failure !== undefined && timer === undefined && !isBeating,
      );
    const isKnown = this.#instances.get(keyToString(instance.key)) === instance;
    if (silent === undefined || !isKnown || this.#enqueue === undefined || instance.looks >= mostLooks)
      return;
    instance.later?.cancel();
    instance.later = this.#clock.timer(this.#times.restMs * 2 ** instance.looks, () => {
      delete instance.later;
      instance.looks += 1;
      instance.isDue = true;
      this.#enqueue?.(instance.key, `${silent.target.host} has not answered yet`);
    });
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
    const signs = new Signs(() => this.#clock.monotonic(), this.#times);
    const watched: Watched = { key, target, server, signs, isKept: false, isBeating: false };
    // Whoever closes a connection may live on: what the server says now is what counts.
    server.onLost(() => {
      if (!watched.isKept || this.#enqueue === undefined || watched.isBeating) return;
      signs.isLost();
      this.#beatNow(watched);
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
    const { failure, silentSince = 0, hasEverAnswered } = watched.signs;
    const isSilent = failure !== undefined && !failure.isReply;
    if (isSilent && (watched.timer !== undefined || watched.isBeating)) return {};
    const rested = this.#clock.monotonic() - Math.max(silentSince, watched.lastAsked ?? 0);
    if (isSilent && !hasEverAnswered && rested < this.#times.restMs) return {};
    const found = await this.#ask(watched, signal);
    // Whoever closes a connection may live on: what is asked on a new one counts.
    const isLost = found.failure?.code === "CLOSED" || found.failure?.code === "HALFREPLY";
    return isLost ? await this.#ask(watched, signal) : found;
  }

  async #ask(watched: Watched, signal: AbortSignal): Promise<Found> {
    const asked = this.#clock.monotonic();
    watched.lastAsked = asked;
    try {
      const answer = await askAll(watched.server, { timeoutMs: this.#times.timeoutMs, signal });
      watched.signs.answers(answer);
      return { answer };
    } catch (error) {
      if (!(error instanceof RedisFailure)) throw error;
      // A beat that is under way finds the same, and counts it.
      if (error.code !== "ABORTED" && !watched.isBeating) watched.signs.fails(error, asked);
      return { failure: error, asked };
    }
  }

  #beatOn(watched: Watched): void {
    const isWanted = this.#enqueue !== undefined && watched.isKept && this.#isReached(watched.key);
    if (!isWanted || watched.timer !== undefined || watched.isBeating) return;
    watched.timer = this.#clock.timer(watched.signs.pause(), () => this.#beatNow(watched));
  }

  #beatNow(watched: Watched): void {
    watched.timer?.cancel();
    delete watched.timer;
    watched.isBeating = true;
    inBackground(this.#beat(watched), () => undefined);
  }

  /** Those of the same instance, at once: what they say now is compared with what they say later. */
  #beatPeers({ key, target }: Watched): void {
    for (const uid of this.#uidsOf(key)) {
      const peer = this.#watched.get(uid);
      if (uid !== target.uid && peer?.timer !== undefined && peer.signs.failure === undefined)
        this.#beatNow(peer);
    }
  }

  /** Whether any server of an instance has ever answered: then the others are worth asking, too. */
  #isReached(key: ObjectKey): boolean {
    return this.#uidsOf(key).some((uid) => this.#watched.get(uid)?.signs.hasEverAnswered === true);
  }

  async #beat(watched: Watched): Promise<void> {
    const { signs, server, key, target } = watched;
    const { timeoutMs, secondMs, doubtMs } = this.#times;
    const asked = this.#clock.monotonic();
    const isSilent = signs.failure !== undefined;
    const doubt = isSilent ? undefined : this.#clock.timer(doubtMs, () => this.#beatPeers(watched));
    try {
      const patience = { timeoutMs: signs.isDoubted ? secondMs : timeoutMs };
      const beat = await askBeat(server, signs.sections(), patience);
      if (signs.beats(beat)) this.#enqueue?.(key, `${target.host} is ${signs.beat}`);
    } catch (error) {
      if (!(error instanceof RedisFailure) || error.code === "ABORTED") return;
      if (signs.misses(error, asked)) this.#enqueue?.(key, `no answer of ${target.host}: ${error.code}`);
    } finally {
      doubt?.cancel();
      watched.isBeating = false;
      if (this.#watched.get(target.uid) === watched) this.#beatOn(watched);
    }
  }
}

/** So often in a row: after 2 s, 4, 8 and so on, two minutes in all. */
const mostLooks = 6;

/** The servers of an instance. */
interface Instance {
  readonly key: ObjectKey;
  uids: readonly string[];
  /** How often it was looked at again since anything happened. */
  looks: number;
  /** The next look is one of those. */
  isDue: boolean;
  /** Until then. */
  later?: { cancel(): void };
}

interface Watched {
  readonly key: ObjectKey;
  readonly target: PulseTarget;
  readonly server: RedisServer;
  readonly signs: Signs;
  isKept: boolean;
  isBeating: boolean;
  lastAsked?: number;
  /** Until the next beat. */
  timer?: { cancel(): void };
}
