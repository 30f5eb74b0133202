import type { Kind, StoredObject } from "@kedge/machinery";

/** An object of a kind that is known only at run time. */
export interface DynamicObject extends StoredObject {
  [field: string]: unknown;
}

/** A kind as a server says that it serves it; `T` is what its user knows of its objects. */
export interface ServedKind<T = DynamicObject> extends Kind<T> {
  readonly verbs: readonly string[];
}

/** One version of a group, with what it serves. */
export interface ServedGroupVersion {
  readonly group: string;
  readonly version: string;
  readonly kinds: readonly ServedKind[];
  /** False when the server that stands behind it did not answer: the kinds are those last known, or none. */
  readonly current: boolean;
}

/** All that a server serves; each group's versions in the server's order of preference. */
export type ServedApi = readonly ServedGroupVersion[];
