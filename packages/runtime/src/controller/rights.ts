import type { Kind, Scope } from "@kedge/machinery";

/** What can be asked of the API server about objects of a kind. */
export type Verb = "get" | "list" | "watch" | "create" | "update" | "patch" | "delete" | "deletecollection";

/** Something that a controller may ask of the API server. Made by `may()`. */
export interface Right {
  readonly verbs: readonly Verb[];
  readonly group: string;
  /** `pods`, or `pods/log`. */
  readonly resource: string;
}

/** A right for these verbs on a kind, or on a subresource of it. */
export function may<T, S extends Scope, Sub extends string>(
  verbs: readonly Verb[],
  { group, plural }: Kind<T, S, Sub>,
  subresource?: Sub | "finalizers",
): Right {
  return { verbs, group, resource: subresource === undefined ? plural : `${plural}/${subresource}` };
}
