import { isJsonList, isJsonObject } from "../json-value.ts";

/** `T` with everything in it `readonly`, at any depth. */
export type DeepReadonly<T> = unknown extends T
  ? T
  : T extends string | number | boolean | bigint | symbol | null | undefined | ((...args: never) => unknown)
    ? T
    : { readonly [K in keyof T]: DeepReadonly<T[K]> };

/**
 * Freezes JSON data in place, at any depth. What is frozen already is taken to be frozen all through, so that a new
 * version of an object that shares parts with the last one costs only what is new.
 */
export function deepFreeze<T>(value: T): DeepReadonly<T>;
export function deepFreeze(value: unknown): unknown {
  // A list of what is still to do instead of recursion: depth cannot overflow the stack.
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const current = waiting.pop();
    if (Object.isFrozen(current)) continue;
    if (isJsonList(current)) pushObjects(waiting, current);
    else if (isJsonObject(current)) {
      // Not Object.values: for JSON data this is the same, and twice as fast.
      for (const key in current) {
        const child = current[key];
        if (typeof child === "object" && child !== null) waiting.push(child);
      }
    }
    Object.freeze(current);
  }
  return value;
}

function pushObjects(waiting: unknown[], list: readonly unknown[]): void {
  for (const item of list) {
    if (typeof item === "object" && item !== null) waiting.push(item);
  }
}
