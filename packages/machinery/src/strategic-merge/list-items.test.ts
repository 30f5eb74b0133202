import fc from "fast-check";
import { expect, it } from "vitest";
import { sortByRank, sortByText, withoutRepeats } from "./list-items.ts";

// What the server does, step by step: by the square of the length.

function insertionSort<T>(items: readonly T[], before: (a: T, b: T) => boolean): readonly T[] {
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

function gapsFilled(items: readonly unknown[]): readonly unknown[] {
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

it("sorts by rank as an insertion sort does that does not mind items without one", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -1, max: 6 })), (ranks) => {
      const items = ranks.map((rank, item) => ({ item, rank }));
      const expected = insertionSort(items, (a, b) => a.rank < 0 || b.rank < 0 || a.rank < b.rank);
      expect(sortByRank(items)).toEqual(expected.map(({ item }) => item));
    }),
    { numRuns: 2000 },
  );
});

it("sorts by text with equal ones in reverse", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom("a", "b", "c", "aa")), (texts) => {
      const items = texts.map((text, index) => ({ text, index }));
      expect(sortByText(items, ({ text }) => text)).toEqual(insertionSort(items, (a, b) => a.text <= b.text));
    }),
  );
});

it("fills the gap of a repeated item with the last", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 5 })), (items) => {
      expect(withoutRepeats(items)).toEqual(gapsFilled(items));
    }),
    { numRuns: 2000 },
  );
});

it("takes time by the length of a list, not by its square", () => {
  const many = Array.from({ length: 200_000 }, (_, index) => index % 100_000);
  expect(withoutRepeats(many)).toHaveLength(100_000);
  const ranked = many.map((item) => ({ item, rank: item === 0 ? -1 : -item + 100_000 }));
  expect(sortByRank(ranked)).toHaveLength(200_000);
});
