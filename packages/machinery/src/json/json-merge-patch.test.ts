import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { deepEqual } from "./deep-equal.ts";
import { deepFreeze } from "./deep-freeze.ts";
import { applyMergePatch, createMergePatch } from "./json-merge-patch.ts";
import { jsonObject, jsonValue } from "../testing/arbitrary-json.ts";

describe("the cases of RFC 7396, appendix A", () => {
  test.each<[unknown, unknown, unknown]>([
    [{ a: "b" }, { a: "c" }, { a: "c" }],
    [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
    [{ a: "b" }, { a: null }, {}],
    [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
    [{ a: ["b"] }, { a: "c" }, { a: "c" }],
    [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
    [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
    [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
    [
      ["a", "b"],
      ["c", "d"],
      ["c", "d"],
    ],
    [{ a: "b" }, ["c"], ["c"]],
    [{ a: "foo" }, null, null],
    [{ a: "foo" }, "bar", "bar"],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: "b", c: null }, { a: "b" }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])("%j with %j is %j", (document, patch, expected) => {
    expect(applyMergePatch(document, patch)).toEqual(expected);
  });
});

// Seen at gopkg.in/evanphx/json-patch.v4 v4.13.0, which the standard leaves as they are.
describe("nulls inside of lists, as in kube-apiserver", () => {
  test.each<[unknown, unknown, unknown]>([
    [{}, { a: [{ b: null, c: 1 }] }, { a: [{ c: 1 }] }],
    [{ a: [] }, { a: [{ b: null }] }, { a: [{}] }],
    [{ a: {} }, { a: [{ b: null }] }, { a: [{ b: null }] }],
    [{}, { a: [null, 1] }, { a: [null, 1] }],
  ])("%j with %j is %j", (document, patch, expected) => {
    expect(applyMergePatch(document, patch)).toEqual(expected);
  });
});

describe("applyMergePatch", () => {
  test("changes neither document nor patch, and shares nothing with them", () => {
    const document = deepFreeze({ keep: { list: [1] }, merge: { a: 1 } });
    const patch = deepFreeze({ merge: { b: [2] }, fresh: { c: [3] } });
    const merged = applyMergePatch(document, patch);
    expect(merged).toEqual({ keep: { list: [1] }, merge: { a: 1, b: [2] }, fresh: { c: [3] } });
    expect(frozenParts(merged)).toBe(0);
  });

  test("treats __proto__ as a key, and reaches no prototype", () => {
    const patch: unknown = JSON.parse(
      '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
    );
    const merged = applyMergePatch({}, patch);
    expect(JSON.stringify(merged)).toBe(JSON.stringify(patch));
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });

  test("a second time changes nothing more", () => {
    fc.assert(
      fc.property(jsonValue, jsonObject, (document, patch) => {
        // A list that takes the place of an object keeps its nulls; the second time it takes the place of a list.
        fc.pre(!/\[.*null/.test(JSON.stringify(patch)));
        const once = applyMergePatch(document, patch);
        expect(deepEqual(applyMergePatch(once, patch), once)).toBe(true);
      }),
    );
  });
});

describe("createMergePatch", () => {
  test("applied to the first document gives the second, which has no nulls to lose", () => {
    fc.assert(
      fc.property(jsonObject, jsonObject, (from, other) => {
        const to = applyMergePatch(undefined, other);
        const patch = createMergePatch(deepFreeze(from), deepFreeze(to));
        expect(deepEqual(applyMergePatch(from, patch), to)).toBe(true);
        expect(deepEqual(patch, {})).toBe(deepEqual(from, to));
      }),
      { numRuns: 2000 },
    );
  });

  test.each<[string, unknown, unknown, unknown]>([
    ["nothing for nothing", { a: 1 }, { a: 1 }, {}],
    ["only what changed", { a: 1, b: { c: 1, d: 2 } }, { a: 1, b: { c: 1, d: 3 } }, { b: { d: 3 } }],
    ["null for what is gone", { a: 1, b: { c: 1 } }, { b: {} }, { a: null, b: { c: null } }],
    ["undefined counts as gone", { a: 1 }, { a: undefined }, { a: null }],
    ["what was undefined is new", { a: undefined }, { a: 1 }, { a: 1 }],
    ["lists as a whole", { a: [1, 2] }, { a: [1, 3] }, { a: [1, 3] }],
    ["a list where an object was", { a: { b: 1 } }, { a: [1] }, { a: [1] }],
    ["an explicit null reads as a deletion", { a: 1 }, { a: null }, { a: null }],
  ])("%s", (_name, from, to, patch) => {
    expect(createMergePatch(from, to)).toEqual(patch);
  });
});

function frozenParts(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const inside = Object.values(value).reduce((sum: number, child) => sum + frozenParts(child), 0);
  return inside + (Object.isFrozen(value) ? 1 : 0);
}
