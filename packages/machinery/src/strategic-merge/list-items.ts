import { goType, goValue } from "../apply/go-value-text.ts";
import { compareText } from "../apply/text-order.ts";
import { getOwn, isJsonObject, type JsonObject } from "../json/json.ts";
import { listOfLists, noMergeKey, StrategicPatchError, wrongType } from "./patch-error.ts";

/** Whether the items of lists are objects. Throws when they are not all of one type, or when there are none. */
export function holdObjects(...lists: readonly (readonly unknown[])[]): boolean {
  const types = new Set(lists.flat().map(goType));
  const [type] = types;
  if (type === undefined) throw new StrategicPatchError("no elements in any of the given slices");
  if (type === "[]interface {}") throw listOfLists();
  if (types.size > 1) {
    throw new StrategicPatchError(`list element types are not identical: ${goValue(lists)}`);
  }
  return type === "map[string]interface {}";
}

/** An item as the object that it must be. */
export function objectItem(item: unknown): JsonObject {
  if (!isJsonObject(item)) throw wrongType("map[string]interface {}", item);
  return item;
}

/** The value of an item's merge key, which it must have. */
export function mergeKeyOf(item: unknown, mergeKey: string): unknown {
  const value = getOwn(objectItem(item), mergeKey);
  if (value === undefined) throw noMergeKey(item, mergeKey);
  return value;
}

/** Where in a list the first item with this merge key is; -1 when there is none. */
export function findByKey(list: readonly unknown[], mergeKey: string, value: unknown): number {
  for (const [index, item] of list.entries()) {
    if (!isJsonObject(item)) throw new StrategicPatchError(`value for key ${index} is not a map`);
    if (getOwn(item, mergeKey) === value) return index;
  }
  return -1;
}

/**
 * Sorts by text as the server does: each item goes before those that it is not greater than, so that equal ones end up
 * in reverse.
 */
export function sortByText<T>(items: readonly T[], text: (item: T) => string): readonly T[] {
  return insertionSort(items, (a, b) => compareText(text(a), text(b)) <= 0);
}

/** Scalars, the first of equal ones; the gap of a repeated one is filled with the last. */
export function withoutRepeats(items: readonly unknown[]): readonly unknown[] {
  const left = [...items];
  for (let index = 0; index < left.length; index++) {
    for (let other = index + 1; other < left.length; other++) {
      if (left[other] !== left[index]) continue;
      const last = left.pop();
      if (other < left.length) left[other] = last;
      other--;
    }
  }
  return left;
}

/** A stable sort that does not mind an order which contradicts itself, as the server's do. */
export function insertionSort<T>(items: readonly T[], before: (a: T, b: T) => boolean): readonly T[] {
  const sorted: T[] = [];
  for (const item of items) {
    let place = sorted.length;
    for (; place > 0; place--) {
      const previous = sorted[place - 1];
      if (previous === undefined || !before(item, previous)) break;
    }
    sorted.splice(place, 0, item);
  }
  return sorted;
}
