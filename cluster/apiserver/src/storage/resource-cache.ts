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

/** All objects of one storage in memory, in the order of their keys, and what changed lately. */
export class ResourceCache {
  /** What happened at or before this revision is not remembered. */
  #forgotten: number;
  readonly #versions = new Map<string, ObjectVersion>();
  /** The keys of the above, sorted. */
  readonly #keys: string[];
  readonly #events: CacheEvent[] = [];
  /** How many events were dropped from the front. */
  #dropped = 0;
  readonly #listeners = new Set<(event: CacheEvent) => void>();

  constructor(revision: number, versions: readonly ObjectVersion[]) {
    this.#forgotten = revision;
    for (const version of versions) this.#versions.set(version.key, version);
    this.#keys = [...this.#versions.keys()].toSorted(byText);
  }

  get(key: string): ObjectVersion | undefined {
    return this.#versions.get(key);
  }

  /** The objects whose keys begin with a prefix, in the order of the keys, from a key on. */
  list(prefix: string, from: string = prefix): ObjectVersion[] {
    const found: ObjectVersion[] = [];
    for (let at = this.#place(from); at < this.#keys.length; at++) {
      const key = this.#keys[at] ?? "";
      if (!key.startsWith(prefix)) break;
      const version = this.#versions.get(key);
      if (version !== undefined) found.push(version);
    }
    return found;
  }

  /** Takes in the next change. */
  apply(event: CacheEvent): void {
    const { key } = event.current;
    if (event.type === "delete") this.#remove(key);
    else this.#put(key, event.current);
    this.#events.push(event);
    if (this.#events.length > maxHistory) this.#forget(Math.ceil(maxHistory / 10));
    for (const listener of this.#listeners) listener(event);
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

  #put(key: string, version: ObjectVersion): void {
    if (!this.#versions.has(key)) this.#keys.splice(this.#place(key), 0, key);
    this.#versions.set(key, version);
  }

  #remove(key: string): void {
    if (!this.#versions.delete(key)) return;
    const place = this.#place(key);
    if (this.#keys[place] === key) this.#keys.splice(place, 1);
  }

  #forget(count: number): void {
    if (count === 0) return;
    const last = this.#events[count - 1];
    this.#forgotten = Math.max(this.#forgotten, last?.revision ?? 0);
    this.#events.splice(0, count);
    this.#dropped += count;
  }

  /** The index of the first key that is not before the given one. */
  #place(key: string): number {
    let [low, high] = [0, this.#keys.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#keys[middle] ?? "") < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function byText(a: string, b: string): number {
  return a < b ? -1 : 1;
}
