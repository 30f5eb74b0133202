import type { Kind } from "@kedge/machinery";

/** A kind as a server says that it serves it. */
export interface ServedKind extends Kind {
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
