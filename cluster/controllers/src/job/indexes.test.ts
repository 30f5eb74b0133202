import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  countOf,
  countOfBoth,
  firstOutside,
  hasIndex,
  indexesFromText,
  indexesOf,
  indexesToText,
  union,
} from "./indexes.ts";

describe("sets of completion indexes", () => {
  it.each([
    [[], ""],
    [[3], "3"],
    [[1, 2], "1,2"],
    [[0, 1, 2, 5, 7, 8], "0-2,5,7,8"],
  ])("%j is written %s", (indexes, text) => {
    expect(indexesToText(indexesOf(indexes))).toBe(text);
    expect(indexesFromText(text, 10)).toEqual(indexesOf(indexes));
  });
  it.each([
    ["1,x,3", "1,3"],
    ["1-x", ""],
    ["2-20", "2-9"],
    ["12", ""],
  ])("what %s says below 10 is %s", (text, read) => {
    expect(indexesToText(indexesFromText(text, 10))).toBe(read);
  });
  it("behave as sets do", () => {
    const some = fc.array(fc.nat(60), { maxLength: 30 });
    fc.assert(
      fc.property(some, some, fc.nat(60), fc.nat(10), (one, other, index, count) => {
        const [a, b] = [new Set(one), new Set(other)];
        const [left, right] = [indexesOf(one), indexesOf(other)];
        expect(countOf(left)).toBe(a.size);
        expect(hasIndex(left, index)).toBe(a.has(index));
        expect(union(left, right)).toEqual(indexesOf([...one, ...other]));
        expect(countOfBoth(left, right)).toBe([...a].filter((i) => b.has(i)).length);
        const outside = Array.from({ length: 50 }, (_, i) => i).filter((i) => !a.has(i));
        expect(firstOutside(left, 50, count)).toEqual(outside.slice(0, count));
      }),
    );
  });
});
