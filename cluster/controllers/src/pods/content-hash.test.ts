import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { contentHash } from "./content-hash.ts";

describe("the hash of content", () => {
  it("is short and a valid label", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(contentHash(value)).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{1,10}$/u);
      }),
    );
  });

  it("does not know the order of keys, nor keys that are undefined", () => {
    expect(contentHash({ a: 1, b: { c: 2, d: 3 } })).toBe(
      contentHash({ b: { d: 3, c: 2 }, a: 1, e: undefined }),
    );
  });

  it("knows the order of lists, values and attempts", () => {
    const all = [contentHash([1, 2]), contentHash([2, 1]), contentHash(["1", 2]), contentHash([1, 2], 1)];
    expect(new Set(all).size).toBe(4);
  });
});
