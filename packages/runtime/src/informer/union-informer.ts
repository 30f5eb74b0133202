import {
  compareResourceVersions,
  keyOf,
  keyToString,
  type Kind,
  type ObjectKey,
  type StoredObject,
} from "@kedge/machinery";
import type { StoredView } from "./stored-view.ts";
import type { AppliedFields, CacheSelection, Index, Informer, InformerEvent } from "./types.ts";

/**
 * Several informers of one kind, with different selections, as one: what any of them shows is there, once, in the newest
 * version that one of them shows.
 */
export class UnionInformer implements Informer<StoredObject> {
  readonly kind: Kind<StoredObject>;
  readonly #parts: readonly Informer<StoredObject>[];

  constructor(first: Informer<StoredObject>, ...others: readonly Informer<StoredObject>[]) {
    this.kind = first.kind;
    this.#parts = [first, ...others];
  }

  get isSynced(): boolean {
    return this.#parts.every(({ isSynced }) => isSynced);
  }

  get isServed(): boolean {
    return this.#parts.every(({ isServed }) => isServed);
  }

  onServed(handler: (isServed: boolean) => void): void {
    for (const part of this.#parts) part.onServed(handler);
  }

  get(key: ObjectKey): StoredView | undefined {
    return newest(this.#parts.map((part) => part.get(key)));
  }

  list(selection?: CacheSelection): readonly StoredView[] {
    return this.#merged((part) => part.list(selection));
  }

  byIndex(index: string | Index<StoredObject>, value: string): readonly StoredView[] {
    return this.#merged((part) => part.byIndex(index, value));
  }

  addIndex(name: string, values: (object: StoredView) => readonly string[]): void {
    for (const part of this.#parts) part.addIndex(name, values);
  }

  appliedBy(key: ObjectKey, manager: string): AppliedFields | undefined {
    const shown = this.get(key);
    return this.#parts.find((part) => part.get(key) === shown)?.appliedBy(key, manager);
  }

  /** Each part tells of what it sees: an object of two selections is told of twice. */
  onEvent(handler: (event: InformerEvent<StoredObject>) => void): () => void {
    const ends = this.#parts.map((part) => part.onEvent(handler));
    return () => {
      for (const end of ends) end();
    };
  }

  async synced(signal?: AbortSignal): Promise<void> {
    await Promise.all(this.#parts.map((part) => part.synced(signal)));
  }

  #merged(read: (part: Informer<StoredObject>) => readonly StoredView[]): readonly StoredView[] {
    const found = new Map<string, StoredView>();
    for (const part of this.#parts) {
      for (const object of read(part)) {
        const key = keyToString(keyOf(object));
        found.set(key, newest([found.get(key), object]) ?? object);
      }
    }
    return [...found.values()];
  }
}

function newest(objects: readonly (StoredView | undefined)[]): StoredView | undefined {
  let best: StoredView | undefined;
  for (const object of objects) {
    if (object === undefined) continue;
    const isNewer =
      best === undefined ||
      compareResourceVersions(object.metadata.resourceVersion, best.metadata.resourceVersion) === 1;
    if (isNewer) best = object;
  }
  return best;
}
