import { deepEqual, expired, keyOf, keyToString, type Random, type StoredObject } from "@kedge/machinery";

/** One change of the store. */
export interface Change {
  readonly resourceVersion: number;
  readonly collection: string;
  readonly previous: StoredObject | undefined;
  /** As it is after it; of a deletion its last state, with the version of the deletion. */
  readonly object: StoredObject;
  readonly isDeletion: boolean;
}

/** Objects by collection, with the history of their changes. */
export class MemoryStore {
  readonly #collections = new Map<string, Map<string, StoredObject>>();
  readonly #random: Random;
  #history: Change[] = [];
  #version = 100;
  #forgottenUpTo = 0;
  readonly #listeners = new Set<(change: Change) => void>();

  constructor(random: Random) {
    this.#random = random;
  }

  get version(): number {
    return this.#version;
  }

  uuid(): string {
    return this.#random.uuid();
  }

  get(collection: string, key: string): StoredObject | undefined {
    return this.#collections.get(collection)?.get(key);
  }

  list(collection: string): readonly StoredObject[] {
    return [...(this.#collections.get(collection)?.values() ?? [])];
  }

  /** Stores an object under a new version, unless it is as it was. */
  put(collection: string, object: StoredObject): StoredObject {
    const key = keyToString(keyOf(object));
    const previous = this.get(collection, key);
    if (previous !== undefined && deepEqual(previous, object)) return previous;
    const stored = this.#versioned(object);
    const objects = this.#collections.get(collection) ?? new Map<string, StoredObject>();
    this.#collections.set(collection, objects.set(key, stored));
    this.#tell({ resourceVersion: this.#version, collection, previous, object: stored, isDeletion: false });
    return stored;
  }

  remove(collection: string, object: StoredObject): void {
    const key = keyToString(keyOf(object));
    const previous = this.get(collection, key);
    this.#collections.get(collection)?.delete(key);
    const last = this.#versioned(object);
    this.#tell({ resourceVersion: this.#version, collection, previous, object: last, isDeletion: true });
  }

  /** What changed after a version. Throws 410 when it is forgotten. */
  since(version: number): readonly Change[] {
    if (version < this.#forgottenUpTo)
      throw expired(`too old resource version: ${version} (${this.#forgottenUpTo})`);
    return this.#history.filter(({ resourceVersion }) => resourceVersion > version);
  }

  /** Forgets all history. */
  forget(): void {
    this.#history = [];
    this.#forgottenUpTo = this.#version;
  }

  /** A copy of all that is there; `restore` sets the store back to it, as an etcd restored from a backup. */
  snapshot(): () => void {
    const version = this.#version;
    const copies = new Map([...this.#collections].map(([name, objects]) => [name, new Map(objects)]));
    return () => {
      this.#version = version;
      this.#collections.clear();
      for (const [name, objects] of copies) this.#collections.set(name, objects);
      this.forget();
    };
  }

  listen(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #versioned(object: StoredObject): StoredObject {
    this.#version++;
    const resourceVersion = String(this.#version) as StoredObject["metadata"]["resourceVersion"];
    return { ...object, metadata: { ...object.metadata, resourceVersion } };
  }

  #tell(change: Change): void {
    this.#history.push(change);
    for (const listener of this.#listeners) listener(change);
  }
}
