import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { clone } from "./clone.ts";
import { deepEqual } from "./deep-equal.ts";
import { jsonValue } from "../testing/arbitrary-json.ts";

describe("deepEqual", () => {
  test.each<[string, unknown, unknown, boolean]>([
    ["the order of keys does not count", { a: 1, b: 2 }, { b: 2, a: 1 }, true],
    ["the order of items does", [1, 2], [2, 1], false],
    ["undefined is as good as absent", { a: undefined, b: 1 }, { b: 1, c: undefined }, true],
    ["undefined is not null", { a: undefined }, { a: null }, false],
    ["null is not absent", { a: null }, {}, false],
    ["a surplus key on the right", { a: 1 }, { a: 1, b: 2 }, false],
    ["a surplus key on the left", { a: 1, b: 2 }, { a: 1 }, false],
    ["as many keys, but others", { a: 1 }, { b: 1 }, false],
    ["a longer list", [1], [1, 1], false],
    ["a list is not an object", [], {}, false],
    ["an object is not a list", { length: 0 }, [], false],
    ["null is not an object", null, {}, false],
    ["a number is not its text", 1, "1", false],
    ["depth", { a: [{ b: [1, { c: null }] }] }, { a: [{ b: [1, { c: null }] }] }, true],
    ["a difference in the depth", { a: [{ b: [1, { c: null }] }] }, { a: [{ b: [1, { c: 0 }] }] }, false],
    ["an inherited key is not a key", { toString: 1 }, { x: 1 }, false],
    ["an inherited object is not a value", JSON.parse('{"__proto__":{}}'), { x: 1 }, false],
  ])("%s", (_name, a, b, expected) => {
    expect(deepEqual(a, b)).toBe(expected);
    expect(deepEqual(b, a)).toBe(expected);
  });

  test("agrees with comparing canonical texts", () => {
    fc.assert(
      fc.property(jsonValue, jsonValue, (a, b) => {
        expect(deepEqual(a, b)).toBe(canonical(a) === canonical(b));
        expect(deepEqual(a, clone(a))).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).map(([key, child]) => `${JSON.stringify(key)}:${canonical(child)}`);
  return `{${entries.toSorted().join(",")}}`;
}
