import { getOwn, isJsonObject } from "../json-value.ts";
import { patchDirective } from "./directives.ts";
import { mergeKeyOf, placesByKey, sortByRank } from "./list-items.ts";

/** What items are told apart by. */
export interface ItemKey {
  /** Empty for scalars. */
  readonly mergeKey: string;
  readonly objects: boolean;
}

/** The orders that the items of a merged list come from. */
export interface Orders {
  /** That of the patch. */
  readonly patch: readonly unknown[];
  /** That of the object as it was. */
  readonly live: readonly unknown[];
}

/**
 * Puts the items of a merged list in order: those that the patch names as it names them, and each of the others before
 * the first of those that it stood before.
 */
export function orderItems(merged: readonly unknown[], orders: Orders, key: ItemKey): readonly unknown[] {
  const named: unknown[] = [];
  const others: unknown[] = [];
  const isNamed = namedBy(orders.patch, key);
  for (const item of merged) (isNamed(item) ? named : others).push(item);
  return interleave(sortByOrder(others, orders.live, key), sortByOrder(named, orders.patch, key), {
    live: orders.live,
    key,
  });
}

/** Sorts items by a list that names them; those to be deleted go last. */
export function sortByOrder(
  items: readonly unknown[],
  order: readonly unknown[],
  key: ItemKey,
): readonly unknown[] {
  if (key.objects) for (const item of [...items, ...order]) mergeKeyOf(item, key.mergeKey);
  const isDeletion = (item: unknown): boolean =>
    key.objects && isJsonObject(item) && item[patchDirective] === "delete";
  const kept = items.filter((item) => !isDeletion(item));
  const indexOf = indexesIn(order, key);
  const sorted = sortByRank(kept.map((item) => ({ item, rank: indexOf(item) })));
  return [...sorted, ...items.filter(isDeletion)];
}

function namedBy(names: readonly unknown[], { mergeKey }: ItemKey): (item: unknown) => boolean {
  if (mergeKey === "") {
    const known = new Set(names);
    return (item) => known.has(item);
  }
  let places: ReadonlyMap<unknown, unknown> | undefined;
  return (item) => {
    const value = mergeKeyOf(item, mergeKey);
    places ??= placesByKey(names, mergeKey);
    return places.has(value);
  };
}

function interleave(
  others: readonly unknown[],
  named: readonly unknown[],
  { live, key }: { readonly live: readonly unknown[]; readonly key: ItemKey },
): readonly unknown[] {
  const merged: unknown[] = [];
  const indexOf = indexesIn(live, key);
  let next = 0;
  for (const item of named) {
    const place = indexOf(item);
    while (next < others.length) {
      const other = indexOf(others[next]);
      if (other < 0 || other >= place) break;
      merged.push(others[next]);
      next++;
    }
    merged.push(item);
  }
  return [...merged, ...others.slice(next)];
}

/** Where in a list an item with the same key is first; -1 when there is none. */
function indexesIn(list: readonly unknown[], key: ItemKey): (item: unknown) => number {
  const indexes = new Map<unknown, number>();
  for (const [index, item] of list.entries()) {
    const value = keyValue(item, key);
    if (!indexes.has(value)) indexes.set(value, index);
  }
  return (item) => indexes.get(keyValue(item, key)) ?? -1;
}

function keyValue(item: unknown, { mergeKey, objects }: ItemKey): unknown {
  if (!objects) return item;
  return isJsonObject(item) ? (getOwn(item, mergeKey) ?? null) : null;
}
