import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { deepEqual } from "./deep-equal.ts";
import { deepFreeze } from "./deep-freeze.ts";
import { diffJsonPatch } from "./json-patch-diff.ts";
import { applyJsonPatch, type JsonPatchOperation } from "./json-patch.ts";
import { jsonObject } from "../testing/arbitrary-json.ts";

describe("diffJsonPatch", () => {
  test("applied to the first document gives the second, and is empty only for equal ones", () => {
    fc.assert(
      fc.property(jsonObject, jsonObject, (from, to) => {
        const patch = diffJsonPatch(deepFreeze(from), deepFreeze(to));
        expect(deepEqual(applyJsonPatch(from, patch), to)).toBe(true);
        expect(patch.length === 0).toBe(deepEqual(from, to));
      }),
      { numRuns: 2000 },
    );
  });

  test("finds its way through lists of equal items, and never touches more than it must", () => {
    const list = fc.array(fc.integer({ min: 0, max: 1 }), { maxLength: 7 });
    fc.assert(
      fc.property(list, list, (from, to) => {
        const patch = diffJsonPatch({ list: from }, { list: to });
        expect(applyJsonPatch({ list: from }, patch)).toEqual({ list: to });
        expect(patch.length).toBeLessThanOrEqual(Math.max(from.length, to.length));
      }),
      { numRuns: 1000 },
    );
  });

  test.each<[string, unknown, unknown, JsonPatchOperation[]]>([
    ["undefined counts as absent", { a: undefined, b: 1 }, { b: 1, c: undefined }, []],
    [
      "an item at the start moves no other",
      { l: ["b", "c"] },
      { l: ["a", "b", "c"] },
      [{ op: "add", path: "/l/0", value: "a" }],
    ],
    ["an item out of the middle", { l: [1, 2, 3] }, { l: [1, 3] }, [{ op: "remove", path: "/l/1" }]],
    [
      "a change inside of an item",
      { l: [{ n: "a", v: 1 }, 2] },
      { l: [{ n: "a", v: 3 }, 2] },
      [{ op: "replace", path: "/l/0/v", value: 3 }],
    ],
    ["keys are escaped", {}, { "a/b": { "c~d": 1 } }, [{ op: "add", path: "/a~1b", value: { "c~d": 1 } }]],
    ["another kind of document", {}, [], [{ op: "replace", path: "", value: [] }]],
  ])("%s", (_name, from, to, patch) => {
    expect(diffJsonPatch(from, to)).toEqual(patch);
  });
});
