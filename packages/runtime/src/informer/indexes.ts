import { controllerOf } from "@kedge/machinery";
import type { StoredView } from "./stored-view.ts";
import { byController } from "./types.ts";

/** What objects are found by: functions from an object to texts, and the objects for each text. */
export class Indexes {
  readonly #indexes = new Map<string, Index>();
  readonly #failed: IndexFailed;

  /** An object whose values cannot be told is in no bucket; `failed` is told. */
  constructor(failed: IndexFailed) {
    this.#failed = failed;
    this.add(byNamespace, (object) => [object.metadata.namespace ?? ""], []);
    this.add(byController, (object) => controllerOf(object)?.uid ?? [], []);
  }

  /** Adds an index over what is there already. Throws when the name is taken by another function. */
  add(name: string, values: IndexValues, objects: Iterable<readonly [string, StoredView]>): void {
    const existing = this.#indexes.get(name);
    if (existing?.values === values) return;
    if (existing !== undefined) {
      throw new Error(`informer: index ${JSON.stringify(name)}: there is one of this name already`);
    }
    const index: Index = { name, values, buckets: new Map(), byKey: new Map() };
    this.#indexes.set(name, index);
    for (const [key, object] of objects) this.#insert(index, key, object);
  }

  /** The objects that an index gave this value for, in the order in which they came. */
  find(name: string, value: string): readonly StoredView[] {
    const index = this.#indexes.get(name);
    if (index === undefined) {
      const known = [...this.#indexes.keys()].join(", ");
      throw new Error(
        `informer: index ${JSON.stringify(name)}: there is none of this name (there are ${known}); call addIndex first`,
      );
    }
    return [...(index.buckets.get(value)?.values() ?? [])];
  }

  /** Tells of a change: of an object that came (no `previous`), changed, or went (no `object`). */
  update(key: string, previous: StoredView | undefined, object: StoredView | undefined): void {
    for (const index of this.#indexes.values()) {
      if (previous !== undefined) withdraw(index, key);
      if (object !== undefined) this.#insert(index, key, object);
    }
  }

  #insert(index: Index, key: string, object: StoredView): void {
    const values = this.#valuesOf(index, object);
    if (values.length > 0) index.byKey.set(key, values);
    for (const value of values) {
      const bucket = index.buckets.get(value) ?? new Map<string, StoredView>();
      index.buckets.set(value, bucket);
      bucket.set(key, object);
    }
  }

  #valuesOf(index: Index, object: StoredView): readonly string[] {
    try {
      const values = index.values(object);
      return typeof values === "string" ? [values] : [...values];
    } catch (error) {
      this.#failed(index.name, object, error);
      return [];
    }
  }
}

/** Told of an index function that threw. */
export type IndexFailed = (index: string, object: StoredView, error: unknown) => void;

/** The index that serves lists of one namespace. */
export const byNamespace = "namespace";

type IndexValues = (object: StoredView) => readonly string[] | string;

interface Index {
  readonly name: string;
  readonly values: IndexValues;
  readonly buckets: Map<string, Map<string, StoredView>>;
  /** What the function said of the objects that are in: it is not asked twice, as it might say something else. */
  readonly byKey: Map<string, readonly string[]>;
}

/** An emptied bucket goes too: values come and go with the objects. */
function withdraw(index: Index, key: string): void {
  for (const value of index.byKey.get(key) ?? []) {
    const bucket = index.buckets.get(value);
    bucket?.delete(key);
    if (bucket?.size === 0) index.buckets.delete(value);
  }
  index.byKey.delete(key);
}
