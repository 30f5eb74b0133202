import fc from "fast-check";
import { expect, it } from "vitest";
import { Heap } from "./heap.ts";

it("gives all that was pushed and not deleted, in order", () => {
  fc.assert(
    fc.property(fc.array(fc.integer()), fc.array(fc.nat()), (numbers, deleted) => {
      const items = numbers.map((value) => ({ value }));
      const heap = new Heap<{ readonly value: number }>((one, other) => one.value < other.value);
      for (const item of items) heap.push(item);
      const without = new Set(deleted.flatMap((index) => items[index] ?? []));
      for (const item of without) expect(heap.delete(item)).toBe(true);
      const given: number[] = [];
      for (let next = heap.pop(); next !== undefined; next = heap.pop()) given.push(next.value);
      const left = items.filter((item) => !without.has(item)).map(({ value }) => value);
      expect(given).toEqual(left.toSorted((one, other) => one - other));
    }),
  );
});
