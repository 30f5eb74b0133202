import { getOwn, isJsonObject } from "../json/json.ts";
import { patchDirective } from "./directives.ts";
import { findByKey, insertionSort, mergeKeyOf } from "./list-items.ts";

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
  for (const item of merged) (isNamed(item, orders.patch, key) ? named : others).push(item);
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
  const sorted = insertionSort(kept, (a, b) => {
    const left = indexIn(order, a, key);
    const right = indexIn(order, b, key);
    return left < 0 || right < 0 || left < right;
  });
  return [...sorted, ...items.filter(isDeletion)];
}

function isNamed(item: unknown, names: readonly unknown[], { mergeKey }: ItemKey): boolean {
  if (mergeKey === "") return names.includes(item);
  return findByKey(names, mergeKey, mergeKeyOf(item, mergeKey)) >= 0;
}

function interleave(
  others: readonly unknown[],
  named: readonly unknown[],
  { live, key }: { readonly live: readonly unknown[]; readonly key: ItemKey },
): readonly unknown[] {
  const merged: unknown[] = [];
  let next = 0;
  for (const item of named) {
    const place = indexIn(live, item, key);
    while (next < others.length) {
      const other = indexIn(live, others[next], key);
      if (other < 0 || other >= place) break;
      merged.push(others[next]);
      next++;
    }
    merged.push(item);
  }
  return [...merged, ...others.slice(next)];
}

function indexIn(list: readonly unknown[], item: unknown, key: ItemKey): number {
  const wanted = keyValue(item, key);
  return list.findIndex((other) => keyValue(other, key) === wanted);
}

function keyValue(item: unknown, { mergeKey, objects }: ItemKey): unknown {
  if (!objects) return item;
  return isJsonObject(item) ? (getOwn(item, mergeKey) ?? null) : null;
}
