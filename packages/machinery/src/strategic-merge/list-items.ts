import { goType, goFormatV } from "../go/go-format.ts";
import { compareText } from "../go/text-order.ts";
import { getOwn, isJsonObject, type JsonObject } from "../json-value.ts";
import { listOfLists, noMergeKey, StrategicPatchError, wrongType } from "./patch-error.ts";

/** Whether the items of lists are objects. Throws when they are not all of one type, or when there are none. */
export function holdObjects(...lists: readonly (readonly unknown[])[]): boolean {
  const types = new Set(lists.flat().map(goType));
  const [type] = types;
  if (type === undefined) throw new StrategicPatchError("no elements in any of the given slices");
  if (type === "[]interface {}") throw listOfLists();
  if (types.size > 1) {
    throw new StrategicPatchError(`list element types are not identical: ${goFormatV(lists)}`);
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

/** The places of a list's items by their merge keys, in order. Throws for an item that is no object. */
export function placesByKey(list: readonly unknown[], mergeKey: string): Map<unknown, number[]> {
  const places = new Map<unknown, number[]>();
  for (const [index, item] of list.entries()) {
    if (!isJsonObject(item)) throw new StrategicPatchError(`value for key ${index} is not a map`);
    const value = getOwn(item, mergeKey);
    if (value === undefined) continue;
    const same = places.get(value);
    if (same === undefined) places.set(value, [index]);
    else same.push(index);
  }
  return places;
}

/**
 * Sorts by text as the server does: each item goes before those that it is not greater than, so that equal ones end up
 * in reverse.
 */
export function sortByText<T>(items: readonly T[], text: (item: T) => string): readonly T[] {
  const keyed = items.toReversed().map((item) => ({ item, text: text(item) }));
  return keyed.toSorted((a, b) => compareText(a.text, b.text)).map(({ item }) => item);
}

/** Scalars, the first of equal ones; the gap of a repeated one is filled with the last. */
export function withoutRepeats(items: readonly unknown[]): readonly unknown[] {
  if (new Set(items).size === items.length) return items;
  const left = [...items];
  const places = new Map<unknown, number[]>();
  const remember = (item: unknown, place: number): void => {
    const known = places.get(item);
    if (known === undefined) places.set(item, [place]);
    else known.push(place);
  };
  for (const [place, item] of left.entries()) remember(item, place);
  for (let index = 0; index < left.length; index++) {
    const item = left[index];
    const others = (places.get(item) ?? []).filter((place) => place > index).toSorted((a, b) => a - b);
    places.delete(item);
    for (const place of others) fillGaps(left, place, { item, moved: remember });
  }
  return left;
}

function fillGaps(
  left: unknown[],
  place: number,
  { item, moved }: { readonly item: unknown; readonly moved: (item: unknown, place: number) => void },
): void {
  while (place < left.length && left[place] === item) {
    const last = left.pop();
    if (place >= left.length) return;
    left[place] = last;
    if (last !== item) moved(last, place);
  }
}

/** An item, and its place in the order that items are sorted by; -1 when that does not name it. */
export interface RankedItem<T> {
  readonly item: T;
  readonly rank: number;
}

/**
 * Sorts by rank as the server does, by insertion from the end: an item goes before all that have a greater rank, and
 * before and behind those without one as it meets them. One without a rank goes to the front.
 */
export function sortByRank<T>(items: readonly RankedItem<T>[]): readonly T[] {
  if (items.every(({ rank }) => rank >= 0))
    return items.toSorted((a, b) => a.rank - b.rank).map(({ item }) => item);
  const before = neighbours(items);
  // A list that is linked by indexes; -1 is its front.
  const next = new Map<number, number | undefined>([[-1, undefined]]);
  for (const [index, { rank }] of items.entries()) {
    const left = rank < 0 ? -1 : (before[index] ?? -1);
    next.set(index, next.get(left));
    next.set(left, index);
  }
  const sorted: T[] = [];
  for (let at = next.get(-1); at !== undefined; at = next.get(at)) {
    const ranked = items[at];
    if (ranked !== undefined) sorted.push(ranked.item);
  }
  return sorted;
}

/** For each ranked item, which of those before it in the list has the greatest rank that is not greater than its own. */
function neighbours(items: readonly RankedItem<unknown>[]): readonly (number | undefined)[] {
  const ranked = items.flatMap(({ rank }, index) => (rank < 0 ? [] : [{ rank, index }]));
  const order = ranked.toSorted((a, b) => a.rank - b.rank).map(({ index }) => index);
  const lower = new Map(order.map((index, at) => [index, order[at - 1]]));
  const upper = new Map(order.map((index, at) => [index, order[at + 1]]));
  const found: (number | undefined)[] = [];
  // From the last on, each is taken out: what is left came before it.
  for (let index = items.length - 1; index >= 0; index--) {
    if (!lower.has(index)) continue;
    const [left, right] = [lower.get(index), upper.get(index)];
    found[index] = left;
    if (left !== undefined) upper.set(left, right);
    if (right !== undefined) lower.set(right, left);
  }
  return found;
}
