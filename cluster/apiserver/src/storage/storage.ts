import { inBackground, Turns, type Clock, type Logger, type Timer } from "@kedge/machinery";
import {
  StoreError,
  type KeyValue,
  type Store,
  type StoreEvent,
  type TransactionResult,
  type Watch,
  type Write,
} from "@kedge/store";
import {
  compareKeys,
  concat,
  fromSorted,
  insert,
  remove,
  split,
  type SortedMap,
} from "@kedge/store/sorted-map";
import { root } from "./keys.ts";
import { LeasePool } from "./lease-pool.ts";
import type { ApiObject, Resource } from "../registry/types.ts";
import { ObjectVersion, versioned } from "./object-version.ts";
import { ResourceCache } from "./resource-cache.ts";
import { statusOfStoreError } from "./store-status.ts";
import { ViewMemory } from "./view-memory.ts";

/** So many objects are read before the event loop goes round. */
const readAtOnce = 5000;

/** What the storage is made of. */
export interface StorageOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Milliseconds between compactions of the store: so long, at least, history is kept if it is not too much. */
  readonly compactionInterval: number;
  /** After so many bytes of changes the store is compacted before its time. Up to twice that is kept. */
  readonly historyBytes: number;
}

/** One write of one object. Happens only if the object is still at `expected` (0: is not there). */
export interface ObjectWrite {
  readonly key: string;
  readonly expected: number;
  /** Undefined removes it. */
  readonly value: Uint8Array | undefined;
  /** What the value was made of, if it is shown as it is stored: the cache takes it, with its version, and freezes it. */
  readonly made?: { readonly resource: Resource; readonly object: ApiObject } | undefined;
  /** Seconds until the object goes by itself. */
  readonly ttl?: number | undefined;
  /** Keeps the lease that it hangs on. */
  readonly lease?: number | undefined;
}

/**
 * The store with a cache of everything in it. One watch of the store feeds the caches of all resources, so that all
 * are at the same revision. Nothing is answered from the store that a cache does not show yet: reads after a write are
 * never older than it.
 */
export class Storage {
  readonly store: Store;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #compactionInterval: number;
  readonly #historyBytes: number;
  readonly #views = new ViewMemory();
  /** What the bytes were made of that are being written: the store hands out those that it was given. */
  readonly #made = new WeakMap<Uint8Array, NonNullable<ObjectWrite["made"]>>();
  readonly #leases: LeasePool;
  readonly #caches = new Map<string, ResourceCache>();
  /** What no cache has asked for yet. A cache takes its part of it in one step, however large that is. */
  #unclaimed: SortedMap<ObjectVersion>;
  readonly #waiting = new Set<{ revision: number; resolve: () => void; reject: (error: Error) => void }>();
  readonly #endListeners = new Set<() => void>();
  #revision = 0;
  #watch: Watch | undefined;
  #failure: Error | undefined;
  #compaction: Timer | undefined;
  #compactNext = 0;
  /** Of changes since `compactNext`. */
  #bytes = 0;
  #feeding: Promise<void> = Promise.resolve();

  constructor({ store, clock, logger, compactionInterval, historyBytes }: StorageOptions) {
    this.store = store;
    this.#clock = clock;
    this.#logger = logger;
    this.#compactionInterval = compactionInterval;
    this.#historyBytes = historyBytes;
    this.#leases = new LeasePool(store, clock);
  }

  /** Reads everything, then follows. */
  async start(): Promise<void> {
    const revision = await this.#readAll(new Turns(this.#clock));
    this.#revision = revision;
    const watch = this.store.watch({ prefix: root }, { from: revision + 1 });
    this.#watch = watch;
    this.#feeding = this.#feed(watch);
    this.#compactNext = revision;
    // No watch can begin before the start, so nobody misses what was before: servers that live short compact, too.
    // Watches of other servers can.
    if (!this.store.isShared) inBackground(this.#compact(revision), this.#compactionFailed);
    this.#scheduleCompaction();
  }

  /** In slices, all at the revision of the first. */
  async #readAll(turns: Turns): Promise<number> {
    const end = `${root.slice(0, -1)}0`;
    const first = await this.store.range({ start: root, end }, { limit: 0 });
    const { revision } = first;
    for (let start = root; ;) {
      const { items, more } = await this.store.range({ start, end }, { revision, limit: readAtOnce });
      const read = items.map((item) => ({ key: item.key, value: this.versionOf(item) }));
      this.#unclaimed = concat(this.#unclaimed, fromSorted(read));
      if (!more) return revision;
      start = `${items.at(-1)?.key ?? ""}\0`;
      await turns.next();
    }
  }

  /** Ends everything that waits for a change. The store itself stays open. */
  async close(): Promise<void> {
    this.#compaction?.cancel();
    this.#fail(new Error("the API server is closing"));
    await this.#watch?.return();
    await this.#feeding;
  }

  /** The revision that the caches show. */
  get revision(): number {
    return this.#revision;
  }

  /** Why the caches follow the store no more; undefined while they do. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /** The cache of a storage name, which is made when it is first asked for. */
  cache(storage: string): ResourceCache {
    const known = this.#caches.get(storage);
    if (known !== undefined) return known;
    const prefix = `${root}${storage}/`;
    const [before, from] = split(this.#unclaimed, (key) => compareKeys(key, prefix) < 0);
    const [claimed, after] = split(from, (key) => key.startsWith(prefix));
    this.#unclaimed = concat(before, after);
    const cache = new ResourceCache(this.#revision, claimed, (error) => {
      this.#logger.error("A listener did not take in a change of the store", { storage, error });
    });
    this.#caches.set(storage, cache);
    return cache;
  }

  /** A stored key as an object version. */
  versionOf({ key, value, modRevision, lease }: KeyValue): ObjectVersion {
    const version = new ObjectVersion({ key, value, revision: modRevision, lease }, this.#views);
    const made = this.#made.get(value);
    if (made !== undefined) version.remember(made.resource, versioned(made.object, modRevision));
    return version;
  }

  /** Resolves when the caches show a revision. */
  async reached(revision: number): Promise<void> {
    if (this.#revision >= revision) return;
    if (this.#failure !== undefined) throw this.#failure;
    await new Promise<void>((resolve, reject) => {
      this.#waiting.add({ revision, resolve, reject });
    });
  }

  /** Resolves when the caches show all that was written before this call, with the newest revision at the call. */
  async current(): Promise<number> {
    try {
      const newest = await this.store.revision();
      await this.reached(newest);
      return newest;
    } catch (error) {
      throw statusOfStoreError(error);
    }
  }

  /**
   * Resolves when the caches are as new as a read asks by its resourceVersion: as all that was written when it has none,
   * at once for 0. Gives the newest revision that is known, which is less when the one asked for is yet to come.
   */
  async asNewAs(asked: string): Promise<number> {
    return asked !== "" && Number(asked) <= this.#revision ? this.#revision : await this.current();
  }

  /** Calls back when the caches follow the store no more. */
  onEnd(listener: () => void): () => void {
    this.#endListeners.add(listener);
    return () => this.#endListeners.delete(listener);
  }

  /**
   * Writes one object. The revision of the write, or undefined when somebody else was faster; in both cases the caches
   * show what is there now.
   */
  async write({ key, expected, value, made, ttl, lease }: ObjectWrite): Promise<number | undefined> {
    if (value !== undefined && made !== undefined) this.#made.set(value, made);
    try {
      const write = await this.#putOrDelete({ key, value, ttl, lease });
      const result = await this.#transaction(key, expected, write);
      await this.reached(result.revision);
      return result.succeeded ? result.revision : undefined;
    } catch (error) {
      throw statusOfStoreError(error);
    }
  }

  async #putOrDelete({ key, value, ttl, lease }: Omit<ObjectWrite, "expected">): Promise<Write> {
    if (value === undefined) return { type: "delete", key };
    const hangsOn = lease !== undefined && lease !== 0 ? lease : await this.#leases.lease(ttl);
    return hangsOn === undefined ? { type: "put", key, value } : { type: "put", key, value, lease: hangsOn };
  }

  #transaction(key: string, expected: number, write: Write): Promise<TransactionResult> {
    return this.store.transaction({ compare: [{ key, modRevision: expected }], success: [write] });
  }

  async #feed(watch: Watch): Promise<void> {
    try {
      for await (const { events, revision } of watch) {
        for (const event of events) this.#apply(event);
        this.#revision = Math.max(this.#revision, revision);
        this.#wake();
        if (this.#bytes > this.#historyBytes) this.#compactLast();
      }
      this.#fail(new Error("the store has ended its watch"));
    } catch (error) {
      this.#logger.error("The API server lost its watch of the store", { error });
      this.#fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #apply(event: StoreEvent): void {
    const key = event.type === "put" ? event.current.key : event.key;
    if (event.type === "put") this.#bytes += event.current.value.length;
    const cache = this.#cacheOf(key);
    if (cache === undefined) {
      this.#unclaimed =
        event.type === "put"
          ? insert(this.#unclaimed, key, this.versionOf(event.current))
          : remove(this.#unclaimed, key);
      return;
    }
    const previous = cache.get(key);
    if (event.type === "put") {
      const current = this.versionOf(event.current);
      cache.apply({ type: "put", revision: current.revision, current, previous });
    } else {
      const revision = event.modRevision;
      const last = previous ?? this.versionOf(event.previous);
      cache.apply({ type: "delete", revision, current: last.deletedAt(revision), previous: last });
    }
  }

  /** Storage names have one part (`pods`) or two (`apps/deployments`). */
  #cacheOf(key: string): ResourceCache | undefined {
    const [first = "", second = ""] = key.slice(root.length).split("/", 2);
    return this.#caches.get(first) ?? this.#caches.get(`${first}/${second}`);
  }

  #wake(): void {
    for (const waiting of this.#waiting) {
      if (waiting.revision > this.#revision) continue;
      this.#waiting.delete(waiting);
      waiting.resolve();
    }
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#waiting) reject(this.#failure);
    this.#waiting.clear();
    for (const listener of this.#endListeners) listener();
  }

  #scheduleCompaction(): void {
    this.#compaction = this.#clock.timer(this.#compactionInterval, () => {
      this.#compactLast();
      this.#scheduleCompaction();
    });
  }

  /** Compacts to what was the newest the last time: so every revision stays readable for a while. */
  #compactLast(): void {
    const revision = this.#compactNext;
    this.#compactNext = this.#revision;
    this.#bytes = 0;
    inBackground(this.#compact(revision), this.#compactionFailed);
  }

  async #compact(revision: number): Promise<void> {
    try {
      if (this.#failure !== undefined) return;
      await this.store.compact(revision);
      for (const cache of this.#caches.values()) cache.forget(revision);
    } catch (error) {
      // Another server was faster; what it keeps is no less.
      if (this.store.isShared && error instanceof StoreError && error.code === "COMPACTED") return;
      this.#compactionFailed(error);
    }
  }

  readonly #compactionFailed = (error: unknown): void => {
    this.#logger.warn("Compacting the store failed", { error });
  };
}
