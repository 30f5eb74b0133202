import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareResourceVersions, resourceVersion, uid } from "./resource-version.ts";

describe("compareResourceVersions", () => {
  test.each([
    ["older", "100", "200", -1],
    ["newer", "200", "100", 1],
    ["the same", "7", "7", 0],
    ["fewer digits are older, not smaller as text", "99", "100", -1],
    ["beyond what a number holds", "9007199254740993", "9007199254740992", 1],
    ["beyond what any machine word holds", "1".repeat(60), "2".repeat(60), -1],
    ["zero is no object's version", "0", "1", undefined],
    ["leading zeros are not well-formed", "01", "1", undefined],
    ["nothing", "", "1", undefined],
    ["a sign", "-1", "1", undefined],
    ["another server's text", "abc", "abc", undefined],
    ["a second line", "1\n", "1", undefined],
  ])("%s: %s and %s", (_name, a, b, expected) => {
    expect(compareResourceVersions(a, b)).toBe(expected);
  });

  test("orders as numbers do, both ways", () => {
    const version = fc.bigInt({ min: 1n, max: 2n ** 80n });
    fc.assert(
      fc.property(version, version, (a, b) => {
        const expected = a < b ? -1 : a > b ? 1 : 0;
        expect(compareResourceVersions(String(a), String(b))).toBe(expected);
        expect(compareResourceVersions(String(b), String(a))).toBe(0 - expected);
      }),
    );
  });
});

test("an empty text is neither a resourceVersion nor a uid", () => {
  expect(resourceVersion("1")).toBe("1");
  expect(uid("a")).toBe("a");
  expect(() => resourceVersion("")).toThrow("resourceVersion: must not be empty");
  expect(() => uid("")).toThrow("uid: must not be empty");
});
