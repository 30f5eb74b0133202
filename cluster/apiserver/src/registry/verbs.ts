import type { Verb } from "./types.ts";

/** What can be done with the objects of a kind, unless it says otherwise. */
export const allVerbs: readonly Verb[] = [
  "create",
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "update",
  "watch",
];
