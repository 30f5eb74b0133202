import fc from "fast-check";
import { parseJsonExactly } from "@kedge/machinery";
import { describe, expect, it } from "vitest";
import { parseJson } from "./parse-json.ts";
import { deepest } from "./scan-json.ts";

describe("JSON", () => {
  it("has the value that a parser gives it, and nothing twice", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const value = parseJsonExactly(text);
        expect(parseJson(text)).toEqual({ value, hasDuplicates: false, hasWritten: false });
      }),
    );
  });

  it.each([
    ['{"a":1,"a":2}', true],
    ['[{"b":{}},{"a":{"x":[{"c":1,"\\u0063":2}]}}]', true],
    ['{"__proto__":1,"__proto__":2}', true],
    ['{"a:a":":","b":"\\":\\\\"}', false],
    ['{"__proto__":1,"1":2,"0":3}', false],
  ])("says of %s whether a key is there twice: %s", (text, expected) => {
    expect(parseJson(text).hasDuplicates).toBe(expected);
  });

  it("of too many values is not even read", () => {
    const items = (count: number): string => Array.from({ length: count }, () => "1").join(",");
    expect(() => parseJson(`{"a":[${items(40_002)}]`)).toThrow("more than 40000 values");
    expect(() => parseJson(`[${items(40_002)}]`)).not.toThrow();
    expect(() => parseJson(`{"managedFields":[${items(40_002)}]}`)).toThrow("more than 40000 values");
    expect(() => parseJson(`{"metadata":{"managedFields":[${items(40_002)}]}}`)).not.toThrow();
  });

  it("is not deeper than everything else can walk", () => {
    const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
    expect(() => parseJson(nested(deepest))).not.toThrow();
    expect(() => parseJson(nested(deepest + 1))).toThrow("exceeded max depth");
    expect(() => parseJson("[".repeat(3_000_000))).toThrow("exceeded max depth");
    expect(() => parseJson(`x${nested(deepest + 1)}`)).toThrow("invalid character 'x'");
  });
});
