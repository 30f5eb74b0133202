import type { Kind } from "@kedge/machinery";
import type { StoredApiObject } from "./types.ts";

/**
 * What a writer may have sent of a type: anything may be missing, at any depth. Values that are there have the right
 * type, since the decoder checked them against the schema.
 */
export type Sent<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends readonly (infer Item)[]
    ? Sent<Item>[]
    : unknown extends T
      ? T
      : { [K in keyof T]?: Sent<T[K]> | undefined };

/** The object as its kind's type. Not checked again: the decoder refuses what does not fit the schema. */
export function sentAs<T>(kind: Kind<T>, object: StoredApiObject): Sent<T>;
export function sentAs(_kind: unknown, object: StoredApiObject): unknown {
  return object;
}
