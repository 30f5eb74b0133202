import type { KubeObject } from "./metadata.ts";

/** Whether objects of a kind live in a namespace. */
export type Scope = "Namespaced" | "Cluster";

/** Group, version and kind: how an object says what it is. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

declare const objectType: unique symbol;

/**
 * All a client must know of a kind: where it is served, and (in the type only) what its objects look like.
 * `T` is the object as the server answers it, `Sub` the names of its subresources.
 */
export interface Kind<
  T = KubeObject,
  S extends Scope = Scope,
  Sub extends string = string,
> extends GroupVersionKind {
  readonly plural: string;
  readonly scope: S;
  readonly subresources: readonly Sub[];
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  /** Never set: carries `T` for inference. */
  readonly [objectType]?: T;
}

/** The object type that a kind descriptor stands for. */
export type ObjectOf<K> = K extends Kind<infer T> ? T : never;

/** The key type of a scope: cluster-scoped objects have no namespace. */
export type KeyIn<S extends Scope> = S extends "Namespaced"
  ? { readonly namespace: string; readonly name: string }
  : { readonly namespace?: undefined; readonly name: string };

/** `group/version`, or just `version` for the core group: the value of `apiVersion`. */
export function apiVersionOf(kind: { readonly group: string; readonly version: string }): string {
  return kind.group === "" ? kind.version : `${kind.group}/${kind.version}`;
}

/** An object with its apiVersion and kind: the objects of lists and caches may come without them. */
export function withTypeMeta<T extends object>(
  kind: GroupVersionKind,
  object: T,
): T & { readonly apiVersion: string; readonly kind: string } {
  return { ...object, apiVersion: apiVersionOf(kind), kind: kind.kind };
}

/** Splits `apiVersion` into group and version. Throws when it has more than one slash. */
export function parseApiVersion(apiVersion: string): { group: string; version: string } {
  const parts = apiVersion.split("/");
  const [first = "", second] = parts;
  if (parts.length === 1 && first !== "") return { group: "", version: first };
  if (parts.length === 2 && first !== "" && second !== undefined && second !== "") {
    return { group: first, version: second };
  }
  throw new TypeError(`apiVersion ${JSON.stringify(apiVersion)}: must be "version" or "group/version"`);
}

/** Group, version and kind of an object. */
export function gvkOf(object: { readonly apiVersion: string; readonly kind: string }): GroupVersionKind {
  return { ...parseApiVersion(object.apiVersion), kind: object.kind };
}
