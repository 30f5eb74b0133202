import {
  compareKeys,
  countWhile,
  find,
  insert,
  remove,
  valuesFrom,
  type SortedMap,
} from "@kedge/store/sorted-map";
import type { ObjectVersion } from "./object-version.ts";

/** A change as watchers see it. `current` of a deletion is what was deleted, at the revision of the deletion. */
export interface CacheEvent {
  readonly type: "put" | "delete";
  readonly revision: number;
  readonly current: ObjectVersion;
  readonly previous: ObjectVersion | undefined;
}

/** So many events of a resource are remembered, however slow its watchers are. */
const maxHistory = 10_000;

/** Objects as they were at one moment, in the order of their keys. */
export interface Listed {
  readonly count: number;
  readonly versions: Iterable<ObjectVersion>;
}

/** All objects of one storage in memory, in the order of their keys, and what changed lately. */
export class ResourceCache {
  /** What happened at or before this revision is not remembered. */
  #forgotten: number;
  /** Replaced with each change, never changed itself: a list that is being sent stays as it was when it began. */
  #versions: SortedMap<ObjectVersion>;
  readonly #events: CacheEvent[] = [];
  /** How many events were dropped from the front. */
  #dropped = 0;
  readonly #listeners = new Set<(event: CacheEvent) => void>();

  readonly #onFailure: (error: unknown) => void;

  /** A listener that throws fails alone: what it throws goes to `onFailure`. */
  constructor(revision: number, versions: SortedMap<ObjectVersion>, onFailure: (error: unknown) => void) {
    this.#forgotten = revision;
    this.#versions = versions;
    this.#onFailure = onFailure;
  }

  get(key: string): ObjectVersion | undefined {
    return find(this.#versions, key);
  }

  /** The objects whose keys begin with a prefix, from a key on. */
  list(prefix: string, from: string = prefix): Listed {
    const versions = this.#versions;
    const before = countWhile(versions, (key) => compareKeys(key, from) < 0);
    const upTo = countWhile(versions, (key) => key.startsWith(prefix) || compareKeys(key, prefix) < 0);
    const count = Math.max(0, upTo - before);
    return { count, versions: { [Symbol.iterator]: () => valuesFrom(versions, from).take(count) } };
  }

  /** Takes in the next change. */
  apply(event: CacheEvent): void {
    const { key } = event.current;
    this.#versions =
      event.type === "delete" ? remove(this.#versions, key) : insert(this.#versions, key, event.current);
    this.#events.push(event);
    if (this.#events.length > maxHistory) this.#forget(Math.ceil(maxHistory / 10));
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch (error) {
        this.#onFailure(error);
      }
    }
  }

  /** Forgets what happened at or before a revision. */
  forget(revision: number): void {
    const count = this.#events.findIndex((event) => event.revision > revision);
    this.#forget(count === -1 ? this.#events.length : count);
    this.#forgotten = Math.max(this.#forgotten, revision);
  }

  /** The oldest revision from which a watch can begin. */
  get oldest(): number {
    return this.#forgotten;
  }

  /** The place in history of the first event after a revision; undefined when that is forgotten. */
  placeAfter(revision: number): number | undefined {
    if (revision < this.#forgotten) return undefined;
    let [low, high] = [0, this.#events.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#events[middle]?.revision ?? 0) <= revision) low = middle + 1;
      else high = middle;
    }
    return this.#dropped + low;
  }

  /** The event at a place: undefined when it is yet to come, `forgotten` when it is too late for it. */
  eventAt(place: number): CacheEvent | "forgotten" | undefined {
    if (place < this.#dropped) return "forgotten";
    return this.#events[place - this.#dropped];
  }

  /** Calls back after each change. */
  onEvent(listener: (event: CacheEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #forget(count: number): void {
    if (count === 0) return;
    const last = this.#events[count - 1];
    this.#forgotten = Math.max(this.#forgotten, last?.revision ?? 0);
    this.#events.splice(0, count);
    this.#dropped += count;
  }
}
