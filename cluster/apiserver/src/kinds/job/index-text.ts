/** Why a list of completion indexes (`0,2-5`) cannot be read, or how many it names. */
export type IndexText = { readonly count: number } | { readonly fault: string };

/** Reads a list of completion indexes, all below `completions` and in order. */
export function readIndexes(text: string, completions: number): IndexText {
  if (text === "") return { count: 0 };
  let count = 0;
  let previous = -1;
  for (const part of text.split(",")) {
    const interval = readInterval(part, completions);
    if (typeof interval === "string") return { fault: interval };
    const [first, last] = interval;
    if (previous >= first) return { fault: outOfOrder(previous, first) };
    count += last - first + 1;
    previous = last;
  }
  return { count };
}

/** The first index that two lists have in common; parts that cannot be read are left out. */
export function firstCommonIndex(one: string, other: string, completions: number): number | undefined {
  const intervalsOf = (text: string): readonly Interval[] =>
    (text === "" ? [] : text.split(",")).flatMap((part) => {
      const interval = readInterval(part, completions);
      return typeof interval === "string" ? [] : [interval];
    });
  const [ours, theirs] = [intervalsOf(one), intervalsOf(other)];
  let [i, j] = [0, 0];
  for (let [a, b] = [ours[i], theirs[j]]; a !== undefined && b !== undefined; [a, b] = [ours[i], theirs[j]]) {
    if (a[0] <= b[1] && b[0] <= a[1]) return Math.max(a[0], b[0]);
    if (a[0] <= b[0]) i++;
    else j++;
  }
  return undefined;
}

type Interval = readonly [first: number, last: number];

function readInterval(text: string, completions: number): Interval | string {
  const limits = text.split("-");
  if (limits.length > 2) {
    return `the fragment ${JSON.stringify(text)} violates the requirement that an index interval can have at most two parts separated by '-'`;
  }
  const values: number[] = [];
  for (const limit of limits) {
    if (!/^\+?\d+$/u.test(limit))
      return `cannot convert string to integer for index: ${JSON.stringify(limit)}`;
    if (Number(limit) >= completions) return `too large index: ${JSON.stringify(limit)}`;
    values.push(Number(limit));
  }
  const [first = 0, last] = values;
  if (last === undefined) return [first, first];
  return first >= last ? outOfOrder(first, last) : [first, last];
}

function outOfOrder(previous: number, current: number): string {
  return `non-increasing order, previous: ${previous}, current: ${current}`;
}
