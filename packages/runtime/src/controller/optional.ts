import type { Kind, Scope } from "@kedge/machinery";
import { promised } from "../informer/stored-view.ts";
import type { Owns, Watches } from "./types.ts";

/**
 * An entry of `owns` or `watches` whose kind the server may not know, such as one of a CustomResourceDefinition that not
 * every cluster has. The controller starts without it, `run.read(Kind).isServed` says whether it is there, and when it
 * comes or goes, all objects are looked at within seconds.
 */
export function optional(entry: Watches): Watches;
export function optional<K, S extends Scope, Sub extends string>(entry: Kind<K, S, Sub> | Owns): Owns;
export function optional(entry: Kind<unknown> | Owns | Watches): Owns | Watches {
  return "plural" in entry
    ? { kind: promised<Kind>(entry), select: undefined, isOptional: true }
    : { ...entry, isOptional: true };
}
