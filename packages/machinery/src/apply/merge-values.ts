import { deepEqual } from "../json/deep-equal.ts";
import { getOwn, isJsonList, isJsonObject, setOwn, type JsonObject } from "../json-value.ts";
import { fieldType, type ListSchema, type MapSchema, type TypeSchema } from "../type-schema/type-schema.ts";
import { itemElement } from "./list-item.ts";
import { mergeOrder } from "./merge-order.ts";
import type { PathElement } from "./path-element.ts";
import { kindOf } from "./value-kind.ts";

/**
 * Lays a partial value over a live one: what the partial value says wins, nothing is removed. Both must fit the schema.
 * Parts that stay as they are remain the same objects, so that comparing them costs nothing.
 */
export function mergeValues(schema: TypeSchema, live: unknown, partial: unknown): unknown {
  if (partial === undefined) return live;
  if (live === undefined) return partial;
  const kind = kindOf(schema, partial);
  if (kind === "map" && schema.map !== undefined) return mergeMaps(schema.map, live, partial);
  if (kind === "list" && schema.list !== undefined) return mergeLists(schema.list, live, partial);
  return replace(live, partial);
}

function replace(live: unknown, partial: unknown): unknown {
  return deepEqual(live, partial) ? live : partial;
}

function mergeMaps(map: MapSchema, live: unknown, partial: unknown): unknown {
  const left = isJsonObject(live) ? live : {};
  const right = isJsonObject(partial) ? partial : {};
  if (map.atomic || (isEmpty(left) && isEmpty(right))) return replace(live, partial);
  let merged = left;
  for (const [key, value] of Object.entries(right)) {
    if (value === undefined) continue;
    const type = fieldType(map, key);
    if (type === undefined) throw new TypeError(`.${key}: field not declared in schema`);
    const before = getOwn(left, key);
    const after = mergeValues(type, before, value);
    if (after === before) continue;
    if (merged === left) merged = { ...left };
    setOwn(merged, key, after);
  }
  return merged;
}

function mergeLists(list: ListSchema, live: unknown, partial: unknown): unknown {
  const left = isJsonList(live) ? live : [];
  const right = isJsonList(partial) ? partial : [];
  if (list.type === "atomic" || (left.length === 0 && right.length === 0)) return replace(live, partial);
  const liveElements = left.map((item) => itemElement(list, item));
  const partialElements = right.map((item) => itemElement(list, item));
  const liveItems = uniqueItems(liveElements, left);
  const partialItems = uniqueItems(partialElements, right);
  const merged = mergeOrder(liveElements, partialElements).map(({ element, liveIndex }) =>
    // An item that is only live keeps its own value: there may be several of its key.
    liveIndex === undefined
      ? mergeValues(list.item, liveItems.get(element), partialItems.get(element))
      : left[liveIndex],
  );
  const same = merged.length === left.length && merged.every((item, index) => item === left[index]);
  return same ? left : merged;
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
