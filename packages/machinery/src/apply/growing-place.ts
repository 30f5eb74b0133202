import { newSet, type GrowingSet } from "./field-set.ts";
import type { PathElement } from "./path-element.ts";

/**
 * A place in sets that grow: the way to a field, which becomes a part of a set only when something is inserted at or
 * below it. A walk over a value makes one for each part, instead of a path from the root.
 */
export interface GrowingPlace<Name extends string> {
  readonly parent: GrowingPlace<Name> | undefined;
  /** Empty for the root. */
  readonly element: PathElement;
  /** All of them at the root; elsewhere those that something was inserted into below. */
  sets: Partial<Record<Name, GrowingSet>> | undefined;
}

/** The root of sets. */
export function rootOf<Name extends string>(sets: Record<Name, GrowingSet>): GrowingPlace<Name> {
  return { parent: undefined, element: "", sets };
}

/** The place of an element below another. */
export function placeBelow<Name extends string>(
  parent: GrowingPlace<Name>,
  element: PathElement,
): GrowingPlace<Name> {
  return { parent, element, sets: undefined };
}

/** Makes the field at a place a member of a set. Nobody owns the root. */
export function insertAt<Name extends string>({ parent, element }: GrowingPlace<Name>, name: Name): void {
  if (parent !== undefined) setAt(parent, name).members.add(element);
}

function setAt<Name extends string>(place: GrowingPlace<Name>, name: Name): GrowingSet {
  const known = place.sets?.[name];
  if (known !== undefined) return known;
  const above = place.parent === undefined ? newSet() : setAt(place.parent, name);
  let set = above.children.get(place.element);
  if (set === undefined) {
    set = newSet();
    above.children.set(place.element, set);
  }
  place.sets ??= {};
  place.sets[name] = set;
  return set;
}
