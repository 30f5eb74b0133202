/** From the first to the last index, both included. */
export interface Interval {
  readonly first: number;
  readonly last: number;
}

/**
 * A set of completion indexes as intervals in order that do not touch: a job of 100,000 completions stays small. As text
 * it is what the status of a job has: `0,2-5,7`.
 */
export type Indexes = readonly Interval[];

/** The set of these indexes. */
export function indexesOf(indexes: Iterable<number>): Indexes {
  const sorted = [...new Set(indexes)].toSorted((one, other) => one - other);
  return joined(sorted.map((index) => ({ first: index, last: index })));
}

/** Both sets together. */
export function union(one: Indexes, other: Indexes): Indexes {
  return joined([...one, ...other].toSorted((a, b) => a.first - b.first));
}

function joined(sorted: readonly Interval[]): Indexes {
  const result: { first: number; last: number }[] = [];
  for (const { first, last } of sorted) {
    const before = result.at(-1);
    if (before === undefined || first > before.last + 1) result.push({ first, last });
    else before.last = Math.max(before.last, last);
  }
  return result;
}

/** How many indexes are in the set. */
export function countOf(indexes: Indexes): number {
  return indexes.reduce((sum, { first, last }) => sum + last - first + 1, 0);
}

/** How many indexes are in both sets. */
export function countOfBoth(one: Indexes, other: Indexes): number {
  let count = 0;
  let [i, j] = [0, 0];
  for (let [a, b] = [one[i], other[j]]; a !== undefined && b !== undefined; [a, b] = [one[i], other[j]]) {
    count += Math.max(0, Math.min(a.last, b.last) - Math.max(a.first, b.first) + 1);
    if (a.last < b.last) i++;
    else j++;
  }
  return count;
}

/** Whether an index is in the set. */
export function hasIndex(indexes: Indexes, index: number): boolean {
  let [low, high] = [0, indexes.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((indexes[middle]?.last ?? 0) < index) low = middle + 1;
    else high = middle;
  }
  return (indexes[low]?.first ?? Infinity) <= index;
}

/** The first so many indexes below `end` that are not in the set. */
export function firstOutside(indexes: Indexes, end: number, count: number): readonly number[] {
  const found: number[] = [];
  let candidate = 0;
  for (const { first, last } of [...indexes, { first: end, last: end }]) {
    for (; candidate < Math.min(first, end) && found.length < count; candidate++) found.push(candidate);
    candidate = Math.max(candidate, last + 1);
  }
  return found;
}

/** As the status of a job writes it. */
export function indexesToText(indexes: Indexes): string {
  return indexes
    .map(({ first, last }) => {
      if (first === last) return `${first}`;
      return last === first + 1 ? `${first},${last}` : `${first}-${last}`;
    })
    .join(",");
}

/** What the status of a job says; what cannot be read, or is not below `end`, is left out. */
export function indexesFromText(text: string, end: number): Indexes {
  const intervals = text.split(",").flatMap((part): Interval[] => {
    const [first = -1, last = first] = part
      .split("-")
      .map((limit) => (/^\d+$/u.test(limit) ? Number(limit) : NaN));
    if (Number.isNaN(first) || Number.isNaN(last) || first >= end || first < 0) return [];
    return [{ first, last: Math.min(last, end - 1) }];
  });
  return joined(intervals.toSorted((a, b) => a.first - b.first));
}
