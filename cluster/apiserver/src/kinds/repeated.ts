/** The indexes of items that have the same key as an earlier one. Items whose key is undefined are never the same. */
export function repeated<T>(
  items: readonly T[],
  keyOf: (item: T) => string | undefined,
): ReadonlySet<number> {
  const seen = new Set<string>();
  const found = new Set<number>();
  for (const [index, item] of items.entries()) {
    const key = keyOf(item);
    if (key === undefined) continue;
    if (seen.has(key)) found.add(index);
    seen.add(key);
  }
  return found;
}
