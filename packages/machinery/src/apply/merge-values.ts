import { deepEqual } from "../json/deep-equal.ts";
import { getOwn, isJsonList, isJsonObject, setOwn, type JsonObject } from "../json-value.ts";
import { fieldType, type ListSchema, type MapSchema, type TypeSchema } from "../type-schema/type-schema.ts";
import { itemElement } from "./list-item.ts";
import { mergeOrder } from "./merge-order.ts";
import type { PathElement } from "./path-element.ts";
import { kindOf } from "./value-kind.ts";
import type { Steps } from "../steps.ts";

/**
 * Lays a partial value over a live one: what the partial value says wins, nothing is removed. Both must fit the schema.
 * Parts that stay as they are remain the same objects, so that comparing them costs nothing.
 */
export function mergeValuesInSteps(schema: TypeSchema, live: unknown, partial: unknown): Steps<unknown> {
  return merge(live, partial, { schema, turn: { left: valuesInStep } });
}

/** So many values are merged in a step. */
const valuesInStep = 5000;

interface Walk {
  readonly schema: TypeSchema;
  readonly turn: { left: number };
}

function* merge(live: unknown, partial: unknown, { schema, turn }: Walk): Steps<unknown> {
  if (partial === undefined) return live;
  if (live === undefined) return partial;
  const kind = kindOf(schema, partial);
  if (kind === "map" && schema.map !== undefined)
    return yield* mergeMaps(live, partial, { map: schema.map, turn });
  if (kind === "list" && schema.list !== undefined)
    return yield* mergeLists(live, partial, { list: schema.list, turn });
  return replace(live, partial);
}

function replace(live: unknown, partial: unknown): unknown {
  return deepEqual(live, partial) ? live : partial;
}

function* mergeMaps(
  live: unknown,
  partial: unknown,
  { map, turn }: Pick<Walk, "turn"> & { readonly map: MapSchema },
): Steps<unknown> {
  const left = isJsonObject(live) ? live : {};
  const right = isJsonObject(partial) ? partial : {};
  if (map.atomic || (isEmpty(left) && isEmpty(right))) return replace(live, partial);
  let merged = left;
  for (const key in right) {
    if (isTurnOver(turn)) yield;
    const value = right[key];
    if (value === undefined) continue;
    const schema = fieldType(map, key);
    if (schema === undefined) throw new TypeError(`.${key}: field not declared in schema`);
    const before = getOwn(left, key);
    const after = yield* merge(before, value, { schema, turn });
    if (after === before) continue;
    if (merged === left) merged = { ...left };
    setOwn(merged, key, after);
  }
  return merged;
}

function* mergeLists(
  live: unknown,
  partial: unknown,
  { list, turn }: Pick<Walk, "turn"> & { readonly list: ListSchema },
): Steps<unknown> {
  const left = isJsonList(live) ? live : [];
  const right = isJsonList(partial) ? partial : [];
  if (list.type === "atomic" || (left.length === 0 && right.length === 0)) return replace(live, partial);
  const liveElements = left.map((item) => itemElement(list, item));
  const partialElements = right.map((item) => itemElement(list, item));
  const liveItems = uniqueItems(liveElements, left);
  const partialItems = uniqueItems(partialElements, right);
  const merged: unknown[] = [];
  for (const { element, liveIndex } of mergeOrder(liveElements, partialElements)) {
    if (isTurnOver(turn)) yield;
    // An item that is only live keeps its own value: there may be several of its key.
    const item =
      liveIndex === undefined
        ? yield* merge(liveItems.get(element), partialItems.get(element), { schema: list.item, turn })
        : left[liveIndex];
    merged.push(item);
  }
  const same = merged.length === left.length && merged.every((item, index) => item === left[index]);
  return same ? left : merged;
}

/** Counts a value; whether it was the last of a step. */
function isTurnOver(turn: Walk["turn"]): boolean {
  if (--turn.left > 0) return false;
  turn.left = valuesInStep;
  return true;
}

/** Items by their elements. Those of which there are several count as null: they are replaced, not merged. */
function uniqueItems(
  elements: readonly PathElement[],
  items: readonly unknown[],
): ReadonlyMap<PathElement, unknown> {
  const found = new Map<PathElement, unknown>();
  for (const [index, element] of elements.entries())
    found.set(element, found.has(element) ? null : items[index]);
  return found;
}

function isEmpty(object: JsonObject): boolean {
  for (const key in object) if (object[key] !== undefined) return false;
  return true;
}
