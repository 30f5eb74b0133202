import { seededRandom } from "@kedge/machinery";
import { expect, it } from "vitest";
import { changesBetween, restore } from "./changes.ts";
import { anyObject } from "./generate/json.ts";

it("finds the way from any object to any other", () => {
  const random = seededRandom("changes");
  for (let round = 0; round < 500; round++) {
    const [before, after] = [anyObject(random, 4), anyObject(random, 4)];
    expect(restore(before, changesBetween(before, after))).toEqual(after);
    expect(changesBetween(after, after)).toEqual({});
  }
});

it("names what is gone, new or other, and nothing else", () => {
  const before = { same: [1], list: [1], items: [1, 2], old: 1, in: { a: 1, b: 2 } };
  const after = { same: [1], list: [1, 2], items: [1, 3], new: null, in: { a: 1, b: 3 } };
  expect(changesBetween(before, after)).toEqual({
    list: { to: [1, 2] },
    items: { within: { 1: { to: 3 } } },
    old: "gone",
    new: { to: null },
    in: { within: { b: { to: 3 } } },
  });
});
