import { describe, expect, test } from "vitest";
import { deepEqual } from "./deep-equal.ts";
import { exactInteger, parseJsonExactly } from "./large-integers.ts";

describe("parseJsonExactly", () => {
  test.each([
    ["the first that a number has no room for", "9007199254740993"],
    ["2^53, which would look like its neighbour", "9007199254740992"],
    ["the largest of 64 bits", "9223372036854775807"],
    ["the smallest of 64 bits", "-9223372036854775808"],
  ])("keeps %s", (_name, text) => {
    const value = parseJsonExactly(`{"a":[${text}]}`);
    expect(value).toEqual({ a: [BigInt(text)] });
    expect(JSON.stringify(value)).toBe(`{"a":[${text}]}`);
    expect(deepEqual(value, parseJsonExactly(`{ "a": [ ${text} ] }`))).toBe(true);
  });

  test.each([
    ["an integer that a number holds", "9007199254740991", 9007199254740991],
    ["an integer of more than 64 bits", "9223372036854775808", 2 ** 63],
    ["a large number with a fraction", "9007199254740993.0", 9007199254740992],
    ["a large number with an exponent", "9007199254740993e0", 9007199254740992],
    ["digits in a text", '"x:9007199254740993"', "x:9007199254740993"],
  ])("%s is as JSON.parse has it", (_name, text, expected) => {
    expect(parseJsonExactly(`[${text}]`)).toEqual([expected]);
  });

  test("keeps a key __proto__ as data", () => {
    const value = parseJsonExactly('{"__proto__":9007199254740993}');
    expect(JSON.stringify(value)).toBe('{"__proto__":9007199254740993}');
  });
});

test("exactInteger is a number where a number is exact", () => {
  expect([exactInteger(7n), exactInteger(2n ** 53n)]).toEqual([7, 2n ** 53n]);
});
