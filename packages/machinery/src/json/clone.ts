import { isJsonList, isJsonObject, setOwn, type JsonObject } from "../json-value.ts";

/** `T` without any `readonly`, at any depth. */
export type DeepMutable<T> = unknown extends T
  ? T
  : T extends string | number | boolean | bigint | symbol | null | undefined | ((...args: never) => unknown)
    ? T
    : { -readonly [K in keyof T]: DeepMutable<T[K]> };

/** A deep copy of JSON data that may be changed. Keys that are undefined are left out. */
export function clone<T>(value: T): DeepMutable<T>;
export function clone(value: unknown): unknown {
  if (isJsonObject(value)) return cloneObject(value);
  return isJsonList(value) ? value.map((item) => clone(item)) : value;
}

function cloneObject(object: JsonObject): JsonObject {
  const copy: JsonObject = {};
  // Not Object.keys: for JSON data this is the same, and nearly twice as fast.
  for (const key in object) {
    const value = object[key];
    if (value !== undefined) setOwn(copy, key, clone(value));
  }
  return copy;
}
