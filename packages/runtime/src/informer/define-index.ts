import type { Kind, Scope } from "@kedge/machinery";
import { promised } from "./stored-view.ts";
import type { Cached, Index } from "./types.ts";

/**
 * A value, or several, by which objects of a kind are found: named in `indexes` of a controller, and given to
 * `run.read(Kind).byIndex`.
 */
export function defineIndex<K, S extends Scope, Sub extends string>(
  kind: Kind<K, S, Sub>,
  name: string,
  values: (object: Cached<K>) => readonly string[],
): Index<K> {
  return { kind: promised<Kind>(kind), name, values };
}
