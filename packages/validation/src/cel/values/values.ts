import type { CelType } from "./types.ts";

/**
 * A value while an expression runs. An int is a bigint, a double a number. Errors are values: `true || error` is true.
 */
export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint
  | Bytes
  | Duration
  | Timestamp
  | ListValue
  | MapValue
  | TypeValue
  | Optional
  | Opaque
  | Preserved
  | CelError;

/** What went wrong, in the server's words. */
export class CelError {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** An integer without a sign, of 64 bits. */
export class Uint {
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = value;
  }
}

export class Bytes {
  readonly data: Uint8Array;

  constructor(data: Uint8Array) {
    this.data = data;
  }
}

export class Duration {
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

/** A point in time, in nanoseconds since 1970. */
export class Timestamp {
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

/** A list. What its items are made of may be converted only when they are asked for. */
export interface ListValue {
  readonly list: true;
  readonly size: number;
  at(index: number): Value;
  /** Undefined when a list has no order or identity of its own: then items are compared one by one. */
  readonly equals?: (other: ListValue) => Value;
  readonly add?: (other: ListValue) => Value;
  /** What the server knows the list as, before it is a value: JSON. */
  readonly raw?: readonly unknown[];
  /** What an index outside of it is told as. */
  readonly outside: (index: bigint) => string;
}

/** A map or an object. */
export interface MapValue {
  readonly map: true;
  readonly size: number;
  find(key: Value): Value | undefined;
  keys(): readonly Value[];
  readonly equals?: (other: MapValue) => Value;
  readonly raw?: Readonly<Record<string, unknown>>;
}

export class TypeValue {
  readonly type: CelType;

  constructor(type: CelType) {
    this.type = type;
  }
}

/** A value that may be missing. */
export class Optional {
  static readonly none = new Optional(undefined);
  readonly value: Value | undefined;

  constructor(value: Value | undefined) {
    this.value = value;
  }
}

/** A value that only functions of a library look into: a quantity, an address. */
export interface Opaque {
  readonly opaque: CelType;
  equals(other: Value): boolean;
  /** Whether `optional.ofNonZeroValue` takes it as nothing. */
  readonly zero?: boolean;
}

/** What a schema preserves without knowing it: it can be compared, no more. */
export class Preserved {
  readonly json: unknown;

  constructor(json: unknown) {
    this.json = json;
  }
}

export function isList(value: Value): value is ListValue {
  return typeof value === "object" && value !== null && "list" in value;
}

export function isMap(value: Value): value is MapValue {
  return typeof value === "object" && value !== null && "map" in value;
}

export function isOpaque(value: Value): value is Opaque {
  return typeof value === "object" && value !== null && "opaque" in value;
}

export function isError(value: Value): value is CelError {
  return value instanceof CelError;
}

/** A list that an expression made. */
export class PlainList implements ListValue {
  readonly list = true;
  readonly items: readonly Value[];

  constructor(items: readonly Value[]) {
    this.items = items;
  }

  get size(): number {
    return this.items.length;
  }

  at(index: number): Value {
    return this.items[index] ?? null;
  }

  outside(this: void, index: bigint): string {
    return `index out of bounds: ${index}`;
  }
}

/** A map that an expression made. */
export class PlainMap implements MapValue {
  readonly map = true;
  readonly #entries: ReadonlyMap<string, readonly [Value, Value]>;

  constructor(entries: ReadonlyMap<string, readonly [Value, Value]>) {
    this.#entries = entries;
  }

  get size(): number {
    return this.#entries.size;
  }

  get entries(): ReadonlyMap<string, readonly [Value, Value]> {
    return this.#entries;
  }

  find(key: Value): Value | undefined {
    return this.#entries.get(keyOf(key) ?? "")?.[1];
  }

  keys(): readonly Value[] {
    return Array.from(this.#entries.values(), ([key]) => key);
  }
}

/** A value of a type with fields that an expression made: `Object.spec{replicas: 3}`. */
export class StructValue implements MapValue {
  readonly map = true;
  readonly type: CelType;
  readonly fields: ReadonlyMap<string, Value>;

  constructor(type: CelType, fields: ReadonlyMap<string, Value>) {
    this.type = type;
    this.fields = fields;
  }

  get size(): number {
    return this.fields.size;
  }

  find(key: Value): Value | undefined {
    return typeof key === "string" ? this.fields.get(key) : undefined;
  }

  keys(): readonly Value[] {
    return [...this.fields.keys()];
  }
}

/** What tells keys of a map apart: 1, 1u and 1.0 are one key. Undefined for what cannot be a key. */
export function keyOf(key: Value): string | undefined {
  if (typeof key === "string") return `s${key}`;
  if (typeof key === "boolean") return `b${key}`;
  if (typeof key === "bigint") return `n${key}`;
  if (key instanceof Uint) return `n${key.value}`;
  if (typeof key === "number") return Number.isInteger(key) ? `n${BigInt(key)}` : undefined;
  return undefined;
}
