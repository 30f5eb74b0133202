import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseIntOrString, resolveIntOrPercent, validatePercent } from "./int-or-string.ts";

describe("resolveIntOrPercent", () => {
  test.each([
    [123, 0, 123, 123],
    [-1, 10, -1, -1],
    ["90%", 100, 90, 90],
    ["90%", 95, 86, 85],
    ["95%", 100, 95, 95],
    ["25%", 1, 1, 0],
    ["25%", 10, 3, 2],
    ["0%", 10, 0, 0],
    ["100%", 7, 7, 7],
    ["200%", 7, 14, 14],
    ["-5%", 10, 0, -1],
    ["+50%", 3, 2, 1],
    ["1%", 0, 0, 0],
  ])("%s of %i is %i rounded up and %i rounded down", (value, total, up, down) => {
    expect(resolveIntOrPercent(value, total, "up")).toBe(up);
    expect(resolveIntOrPercent(value, total, "down")).toBe(down);
  });

  test.each([
    [undefined, "nil value for IntOrString"],
    ["10", "invalid value for IntOrString: invalid type: string is not a percentage"],
    ["", "invalid value for IntOrString: invalid type: string is not a percentage"],
    ["http", "invalid value for IntOrString: invalid type: string is not a percentage"],
    ["1%x", "invalid value for IntOrString: invalid type: string is not a percentage"],
    ["a%", 'invalid value for IntOrString: invalid value "a%": strconv.Atoi: parsing "a": invalid syntax'],
    ["%", 'invalid value for IntOrString: invalid value "%": strconv.Atoi: parsing "": invalid syntax'],
    [
      "1.5%",
      'invalid value for IntOrString: invalid value "1.5%": strconv.Atoi: parsing "1.5": invalid syntax',
    ],
    ["5%%", 'invalid value for IntOrString: invalid value "5%%": strconv.Atoi: parsing "5%": invalid syntax'],
    [
      "9223372036854775808%",
      'invalid value for IntOrString: invalid value "9223372036854775808%": ' +
        'strconv.Atoi: parsing "9223372036854775808": value out of range',
    ],
  ])("%j is refused with Kubernetes' text", (value, message) => {
    expect(() => resolveIntOrPercent(value, 10, "up")).toThrow(new TypeError(message));
  });

  test("rounding up and down differ by at most one, and enclose the exact share", () => {
    fc.assert(
      fc.property(fc.nat(300), fc.nat(10_000), (percent, total) => {
        const [up, down] = (["up", "down"] as const).map((way) =>
          resolveIntOrPercent(`${percent}%`, total, way),
        );
        expect(up).toBe(Math.ceil((percent * total) / 100));
        expect(down).toBe(Math.floor((percent * total) / 100));
      }),
    );
  });
});

test.each([
  ["80", 80],
  ["-1", -1],
  ["2147483647", 2147483647],
  ["2147483648", "2147483648"],
  ["http", "http"],
  ["25%", "25%"],
  ["", ""],
])("the text %j is taken for %j", (text, value) => {
  expect(parseIntOrString(text)).toBe(value);
});

test.each(["1%", "93%", "100%", "000%"])("%s is a percentage", (value) => {
  expect(validatePercent(value)).toEqual([]);
});

test.each(["", "1", "%", "-1%", "1.5%", "1%%", " 1%"])("%j is no percentage", (value) => {
  expect(validatePercent(value)).toEqual([
    "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
  ]);
});
