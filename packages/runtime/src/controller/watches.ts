import { promised } from "../informer/stored-view.ts";
import type { Kind, ObjectKey, Scope } from "@kedge/machinery";
import type { Cached, InformerOptions } from "../informer/types.ts";
import type { ControllerHost, Watches } from "./types.ts";

/** Which of a controller's objects a change of another object concerns. `previous` is set for updates. */
export type WatchMap<K> = (
  object: Cached<K>,
  previous: Cached<K> | undefined,
  host: ControllerHost,
) => readonly ObjectKey[];

/** A kind that a controller watches beside those that it is for and owns. */
export function watches<K, S extends Scope, Sub extends string>(
  kind: Kind<K, S, Sub>,
  map: WatchMap<K>,
  select?: InformerOptions,
): Watches {
  return { kind: promised<Kind>(kind), map, select };
}

/** Watched objects carry, as a label, the name of the object of ours that they concern, which is in their namespace. */
export function byLabel(label: string): (object: {
  readonly metadata: {
    readonly namespace?: string | undefined;
    readonly labels?: Readonly<Record<string, string>> | undefined;
  };
}) => readonly ObjectKey[] {
  return ({ metadata }) => {
    const name = metadata.labels?.[label];
    return name === undefined ? [] : [{ namespace: metadata.namespace, name }];
  };
}
