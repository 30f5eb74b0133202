import type { Kind } from "@kedge/machinery";
import type { StoredApiObject } from "./types.ts";

/** A type as it was decoded, before validation: values have the right type, but any may be missing, at any depth. */
export type Decoded<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends readonly (infer Item)[]
    ? Decoded<Item>[]
    : unknown extends T
      ? T
      : { [K in keyof T]?: Decoded<T[K]> | undefined };

/** The object as its kind's type. Not checked again: the decoder refuses what does not fit the schema. */
export function decodedAs<T>(kind: Kind<T>, object: StoredApiObject): Decoded<T>;
export function decodedAs(_kind: unknown, object: StoredApiObject): unknown {
  return object;
}
