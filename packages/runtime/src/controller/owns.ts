import { keyOf, keyToString, type Kind, type Scope } from "@kedge/machinery";
import { selected } from "../informer/selected.ts";
import { promised, type StoredView } from "../informer/stored-view.ts";
import type { InformerOptions } from "../informer/types.ts";
import type { Owns } from "./types.ts";

/** The label of children of a bare kind in `owns`, with the controller's name as its value. */
export const managedByLabel = "app.kubernetes.io/managed-by";

/**
 * A kind whose objects are controlled by ours, and which of them are kept in memory: those that a label of the operator's
 * own selects, which every child must then carry, or all of them (`{}`).
 */
export function owns<K, S extends Scope, Sub extends string>(
  kind: Kind<K, S, Sub>,
  select: InformerOptions,
): Owns {
  return { kind: promised<Kind>(kind), select };
}

/** An owned kind, and how its children are known. */
export interface OwnedKind {
  readonly kind: Kind;
  readonly select: InformerOptions;
  /** Every child gets them. */
  readonly labels: Readonly<Record<string, string>>;
  /** Whether an object has the labels by which the cache keeps it. */
  readonly isKept: (object: StoredView) => boolean;
}

/** What an entry of `owns` means for a controller. */
export function ownedKind(entry: Kind | Owns, controller: string): OwnedKind {
  const owned: Owns = "plural" in entry ? { kind: entry, select: undefined } : entry;
  const labels = owned.select === undefined ? { [managedByLabel]: controller } : {};
  const { labelSelector, ...select } = owned.select ?? { labelSelector: labels };
  const byLabels = labelSelector === undefined ? {} : { labelSelector };
  return {
    kind: owned.kind,
    select: { ...select, ...byLabels, ...(owned.isOptional === true && { isOptional: true }) },
    labels,
    isKept: selected(byLabels),
  };
}

/** Throws when the cache would never show a child that is to be made: its author forgot a label. */
export function mustBeKept({ kind, select, isKept }: OwnedKind, child: StoredView): void {
  if (isKept(child)) return;
  const key = keyToString(keyOf(child));
  throw new TypeError(
    `${kind.kind} ${key}: metadata.labels must match what owns(${kind.kind}) selects: ${JSON.stringify(select.labelSelector)}`,
  );
}
