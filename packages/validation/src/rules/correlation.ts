import { deepEqual, isJsonList, isJsonObject } from "@kedge/machinery";
import { additionalOf, itemsOf, propertyOf, type JsonSchema } from "../json-schema.ts";

/** A value and what stood in its place before; undefined when that cannot be told. */
interface Pair {
  readonly value: unknown;
  readonly old: unknown;
  readonly schema: JsonSchema;
  same?: boolean;
}

/** What an update changed: errors about what it left as it was are only warned of. */
export class Correlation {
  readonly #here: Pair | undefined;
  /** The nearest part around this one that can be compared. */
  readonly #around: Pair | undefined;

  private constructor(here: Pair | undefined, around: Pair | undefined) {
    this.#here = here;
    this.#around = around;
  }

  static readonly none = new Correlation(undefined, undefined);

  static of(value: unknown, old: unknown, schema: JsonSchema): Correlation {
    return new Correlation({ value, old, schema }, undefined);
  }

  get unchanged(): boolean {
    const pair = this.#here ?? this.#around;
    if (pair === undefined) return false;
    return (pair.same ??= isSame(pair.value, pair.old, pair.schema));
  }

  key(name: string): Correlation {
    const here = this.#here;
    if (here === undefined) return this;
    // The root's kind and apiVersion are the same by conversion.
    if (this.#around === undefined && (name === "apiVersion" || name === "kind")) return Correlation.none;
    const { value, old } = here;
    const schema = propertyOf(here.schema, name) ?? additionalOf(here.schema);
    if (schema === undefined || !isJsonObject(value) || !isJsonObject(old))
      return new Correlation(undefined, here);
    const both = Object.hasOwn(value, name) && Object.hasOwn(old, name);
    return new Correlation(both ? { value: value[name], old: old[name], schema } : undefined, here);
  }

  /** `old` is the item that the keys of the list tell to be the same. */
  index(value: unknown, old: unknown): Correlation {
    const here = this.#here;
    if (here === undefined) return this;
    const schema = itemsOf(here.schema);
    return new Correlation(
      old === undefined || schema === undefined ? undefined : { value, old, schema },
      here,
    );
  }
}

/** Whether nothing changed that the schema knows of: fields that it does not know count as changed. */
function isSame(value: unknown, old: unknown, schema: JsonSchema): boolean {
  if (isJsonList(value) && isJsonList(old)) return sameLists(value, old, schema);
  if (!isJsonObject(value) || !isJsonObject(old)) return deepEqual(value, old);
  const names = Object.keys(value);
  if (names.length !== Object.keys(old).length) return false;
  return names.every((name) => {
    const part = propertyOf(schema, name) ?? additionalOf(schema);
    return part !== undefined && Object.hasOwn(old, name) && isSame(value[name], old[name], part);
  });
}

function sameLists(value: readonly unknown[], old: readonly unknown[], schema: JsonSchema): boolean {
  const items = itemsOf(schema);
  if (value.length !== old.length) return false;
  if (schema["x-kubernetes-list-type"] !== "map" || items === undefined) return deepEqual(value, old);
  const oldItem = oldItems(schema, old);
  return value.every((item) => {
    const before = oldItem(item);
    return before !== undefined && isSame(item, before, items);
  });
}

/** Finds the item that stood in a list before, if the list tells items apart by keys. */
export function oldItems(schema: JsonSchema, old: unknown): (item: unknown) => unknown {
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  if (schema["x-kubernetes-list-type"] !== "map" || !isJsonList(old)) return () => undefined;
  const idOf = (item: unknown): string =>
    isJsonObject(item)
      ? JSON.stringify(keys.map((key) => (Object.hasOwn(item, key) ? item[key] : null)))
      : "";
  const known = new Map(old.map((item) => [idOf(item), item]));
  return (item) => known.get(idOf(item));
}
