import { controllerOf } from "@kedge/machinery";
import type { StoredView } from "./stored-view.ts";
import { byController } from "./types.ts";

/** What objects are found by: functions from an object to texts, and the objects for each text. */
export class Indexes {
  readonly #indexes = new Map<string, Index>();

  constructor() {
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
    const index: Index = { values, buckets: new Map() };
    this.#indexes.set(name, index);
    for (const [key, object] of objects) insert(index, key, object);
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
      if (previous !== undefined) withdraw(index, key, previous);
      if (object !== undefined) insert(index, key, object);
    }
  }
}

/** The index that serves lists of one namespace. */
export const byNamespace = "namespace";

type IndexValues = (object: StoredView) => readonly string[] | string;

interface Index {
  readonly values: IndexValues;
  readonly buckets: Map<string, Map<string, StoredView>>;
}

function insert(index: Index, key: string, object: StoredView): void {
  for (const value of valuesOf(index, object)) {
    const bucket = index.buckets.get(value) ?? new Map<string, StoredView>();
    index.buckets.set(value, bucket);
    bucket.set(key, object);
  }
}

/** An emptied bucket goes too: values come and go with the objects. */
function withdraw(index: Index, key: string, object: StoredView): void {
  for (const value of valuesOf(index, object)) {
    const bucket = index.buckets.get(value);
    bucket?.delete(key);
    if (bucket?.size === 0) index.buckets.delete(value);
  }
}

function valuesOf(index: Index, object: StoredView): readonly string[] {
  const values = index.values(object);
  return typeof values === "string" ? [values] : values;
}
