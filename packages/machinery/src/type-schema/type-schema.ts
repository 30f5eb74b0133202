/**
 * What merging must know of a type, whatever it was described by: the table of built-in types, a custom resource's
 * structural schema, or nothing. A type may allow several kinds of values; then each value decides which one it is.
 */
export interface TypeSchema {
  /** The type's name, when it has one that other types refer to it by. */
  readonly name: string | undefined;
  /** What Go's reflection calls the type: `struct`, `map`, `slice`, `string`, … Messages of patches say it. */
  readonly goKind: string;
  /** What scalars are allowed, if any. */
  readonly scalar: "string" | "numeric" | "boolean" | "untyped" | undefined;
  /** Set when lists are allowed. */
  readonly list: ListSchema | undefined;
  /** Set when objects are allowed. */
  readonly map: MapSchema | undefined;
}

/** How lists of a type are merged: as a whole, as a set of scalars, or item by item, told apart by their keys. */
export interface ListSchema {
  readonly type: "atomic" | "set" | "map";
  /** Not empty for a `map`. */
  readonly keys: readonly string[];
  readonly item: TypeSchema;
}

/** How objects of a type are merged. */
export interface MapSchema {
  /** Whether it is replaced as a whole. */
  readonly atomic: boolean;
  /** The declared fields. */
  readonly fieldNames: readonly string[];
  /** What is known of a declared field. */
  readonly field: (name: string) => FieldSchema | undefined;
  /** The type of all other fields; undefined when there may be none. */
  readonly values: TypeSchema | undefined;
}

/** What is known of a declared field. */
export interface FieldSchema {
  readonly type: TypeSchema;
  /** Stands in for a missing key of a list item; undefined when there is none. */
  readonly default: unknown;
  /** For strategic merge patches: any of `merge`, `replace`, `retainKeys`. */
  readonly patchStrategies: readonly string[];
  /** For strategic merge patches: what tells the items of the list apart; empty when nothing does. */
  readonly patchMergeKey: string;
}

/** The type of one field of an object, declared or not; undefined when there may be no such field. */
export function fieldType(map: MapSchema, name: string): TypeSchema | undefined {
  return map.field(name)?.type ?? map.values;
}
