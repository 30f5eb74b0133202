import { deepEqual } from "../json/deep-equal.ts";
import { isJsonList, isJsonObject, type JsonObject } from "../json-value.ts";
import { fieldType, type ListSchema, type MapSchema, type TypeSchema } from "../type-schema/type-schema.ts";
import { newSet, type FieldSet } from "./field-set.ts";
import { insertAt, placeBelow, rootOf, type GrowingPlace } from "./growing-place.ts";
import { itemElement } from "./list-item.ts";
import { fieldElement, type PathElement } from "./path-element.ts";
import { finish, type Steps } from "../steps.ts";
import { kindOf, type ValueKind } from "./value-kind.ts";

/** What is different between two values of a type. No field is in more than one of the sets. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/** Compares an old value with a new one. Both must fit the schema. */
export function compareValues(schema: TypeSchema, before: unknown, after: unknown): Comparison {
  return finish(compareValuesInSteps(schema, before, after));
}

/** The same, in steps. */
export function* compareValuesInSteps(
  schema: TypeSchema,
  before: unknown,
  after: unknown,
): Steps<Comparison> {
  const comparison = { added: newSet(), modified: newSet(), removed: newSet() };
  const turn: Turn = { left: valuesInStep, later: [] };
  compare(before, after, { schema, place: rootOf(comparison), turn });
  for (const next of turn.later) {
    if (turn.left === 0) {
      yield;
      turn.left = valuesInStep;
    }
    next();
  }
  return comparison;
}

/** So many values that are not the same are compared in a step. */
const valuesInStep = 5000;

/** The step that a walk is in. Most values need no other; what the first has no time for is left for later. */
interface Turn {
  left: number;
  readonly later: (() => void)[];
}

interface Walk {
  readonly schema: TypeSchema;
  readonly place: GrowingPlace<"added" | "modified" | "removed">;
  readonly turn: Turn;
}

function compare(before: unknown, after: unknown, walk: Walk): void {
  if (before === after) return;
  const { turn } = walk;
  if (turn.left === 0) {
    turn.later.push(() => compare(before, after, walk));
    return;
  }
  turn.left--;
  const oldKind = kindOf(walk.schema, before);
  const newKind = kindOf(walk.schema, after);
  // A value that turned into another kind is looked at as both.
  if (after === undefined) compareAs(oldKind, before, after, walk);
  else if (before === undefined || oldKind === newKind) compareAs(newKind, before, after, walk);
  else {
    compareAs(oldKind, before, after, walk);
    compareAs(newKind, before, after, walk);
  }
  if (before === undefined) insertAt(walk.place, "added");
  else if (after === undefined) insertAt(walk.place, "removed");
}

function compareAs(kind: ValueKind, before: unknown, after: unknown, walk: Walk): void {
  const { map, list } = walk.schema;
  if (kind === "map" && map !== undefined) {
    compareMaps(before, after, { ...walk, map });
  } else if (kind === "list" && list !== undefined) {
    compareLists(before, after, { ...walk, list });
  } else {
    compareLeaves(before, after, walk);
  }
}

/** Additions and removals are noted by the caller. */
function compareLeaves(before: unknown, after: unknown, { place }: Walk): void {
  if (before === undefined || after === undefined || deepEqual(before, after)) return;
  insertAt(place, "modified");
}

function compareMaps(before: unknown, after: unknown, walk: Walk & { readonly map: MapSchema }): void {
  const old = isJsonObject(before) ? before : {};
  const now = isJsonObject(after) ? after : {};
  // Without any field on either side, null and {} are told apart as a whole.
  const oldKeys = Object.keys(old);
  const newKeys = Object.keys(now);
  if (walk.map.atomic || (isEmpty(old, oldKeys) && isEmpty(now, newKeys))) {
    compareLeaves(before, after, walk);
    return;
  }
  for (const key of oldKeys) {
    if (old[key] !== undefined) compareField(key, { old, now }, walk);
  }
  for (const key of newKeys) {
    if (now[key] !== undefined && ownValue(old, key) === undefined) compareField(key, { old, now }, walk);
  }
}

function compareField(
  key: string,
  { old, now }: { readonly old: JsonObject; readonly now: JsonObject },
  walk: Walk & { readonly map: MapSchema },
): void {
  const before = old[key];
  const after = ownValue(now, key);
  if (before === after) return;
  const schema = fieldType(walk.map, key);
  if (schema === undefined) throw new TypeError(`.${key}: field not declared in schema`);
  compare(ownValue(old, key), after, {
    schema,
    place: placeBelow(walk.place, fieldElement(key)),
    turn: walk.turn,
  });
}

function compareLists(before: unknown, after: unknown, walk: Walk & { readonly list: ListSchema }): void {
  const old = isJsonList(before) ? before : [];
  const now = isJsonList(after) ? after : [];
  if (walk.list.type === "atomic" || (old.length === 0 && now.length === 0)) {
    compareLeaves(before, after, walk);
    return;
  }
  const oldItems = itemsByElement(old, walk.list);
  const newItems = itemsByElement(now, walk.list);
  for (const [element, items] of oldItems)
    compareItems(items, newItems.get(element) ?? [], { element, list: walk });
  for (const [element, items] of newItems)
    if (!oldItems.has(element)) compareItems([], items, { element, list: walk });
}

/** Items of the same key are one thing, whatever they hold. */
function compareItems(
  old: readonly unknown[],
  now: readonly unknown[],
  { element, list }: { element: PathElement; list: Walk & { readonly list: ListSchema } },
): void {
  if (old.length === 1 && now.length === 1 && old[0] === now[0]) return;
  const place = placeBelow(list.place, element);
  const walk = { schema: list.list.item, place, turn: list.turn };
  if (old.length <= 1 && now.length <= 1) {
    compare(old[0], now[0], walk);
  } else if (old.length >= 2 && now.length >= 2) {
    if (!deepEqual(old, now)) insertAt(place, "modified");
  } else if (old.length >= 2) {
    if (now.length > 0) compare(undefined, now[0], walk);
    insertAt(place, "removed");
  } else {
    if (old.length > 0) compare(old[0], undefined, walk);
    insertAt(place, "added");
  }
}

function itemsByElement(
  items: readonly unknown[],
  list: ListSchema,
): ReadonlyMap<PathElement, readonly unknown[]> {
  const found = new Map<PathElement, unknown[]>();
  for (const item of items) {
    const element = itemElement(list, item);
    const same = found.get(element);
    if (same === undefined) found.set(element, [item]);
    else same.push(item);
  }
  return found;
}

function isEmpty(object: JsonObject, keys: readonly string[]): boolean {
  return !keys.some((key) => object[key] !== undefined);
}

function ownValue(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
