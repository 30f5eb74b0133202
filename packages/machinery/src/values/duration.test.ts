import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { durationFromMs, durationToString, parseDuration, parseDurationMs } from "./duration.ts";

describe("parseDuration", () => {
  test.each([
    ["0", 0n],
    ["-0", 0n],
    ["0s", 0n],
    ["5s", 5_000_000_000n],
    ["-5s", -5_000_000_000n],
    ["+5s", 5_000_000_000n],
    ["5.s", 5_000_000_000n],
    [".5s", 500_000_000n],
    ["1.5h", 5_400_000_000_000n],
    ["1h30m", 5_400_000_000_000n],
    ["300ms", 300_000_000n],
    ["11us", 11_000n],
    ["12\u00b5s", 12_000n],
    ["12\u03bcs", 12_000n],
    ["13ns", 13n],
    ["3h30m10.5s", 12_610_500_000_000n],
    ["1s1s", 2_000_000_000n],
    ["39h9m14.425s", 140_954_425_000_000n],
    ["52763797000ns", 52_763_797_000n],
    ["0.3333333333333333333h", 1_200_000_000_000n],
    ["0.100000000000000000000h", 360_000_000_000n],
    ["0.9223372036854775807ns", 0n],
    ["9223372036854775807ns", 2n ** 63n - 1n],
    ["-9223372036854775808ns", -(2n ** 63n)],
    ["9223372036s854ms775us807ns", 2n ** 63n - 1n],
  ])("%s is %s nanoseconds", (text, nanoseconds) => {
    expect(parseDuration(text)).toBe(nanoseconds);
  });

  test.each([
    ["", 'time: invalid duration ""'],
    ["-", 'time: invalid duration "-"'],
    ["s", 'time: invalid duration "s"'],
    [".", 'time: invalid duration "."'],
    [".s", 'time: invalid duration ".s"'],
    ["+.s", 'time: invalid duration "+.s"'],
    [" 1s", 'time: invalid duration " 1s"'],
    ["3", 'time: missing unit in duration "3"'],
    ["1h3", 'time: missing unit in duration "1h3"'],
    ["1d", 'time: unknown unit "d" in duration "1d"'],
    ["1H", 'time: unknown unit "H" in duration "1H"'],
    ["1s ", 'time: unknown unit "s " in duration "1s "'],
    ["1\u00b5", String.raw`time: unknown unit "\xc2\xb5" in duration "1\xc2\xb5"`],
    ['1"\\', String.raw`time: unknown unit "\"\\" in duration "1\"\\"`],
    ["9223372036854775808ns", 'time: invalid duration "9223372036854775808ns"'],
    ["99999999999999999999", 'time: invalid duration "99999999999999999999"'],
    ["3000000h", 'time: invalid duration "3000000h"'],
    ["2562047h48m", 'time: invalid duration "2562047h48m"'],
    ["-9223372036854775809ns", 'time: invalid duration "-9223372036854775809ns"'],
  ])("%j is refused with Go's text", (text, message) => {
    expect(() => parseDuration(text)).toThrow(new TypeError(message));
  });
});

describe("durationToString", () => {
  test.each([
    [0n, "0s"],
    [1n, "1ns"],
    [1_100n, "1.1µs"],
    [2_200_000n, "2.2ms"],
    [300_000_000n, "300ms"],
    [3_300_000_000n, "3.3s"],
    [120_000_000_000n, "2m0s"],
    [245_000_000_000n, "4m5s"],
    [245_001_000_000n, "4m5.001s"],
    [5_400_000_000_000n, "1h30m0s"],
    [18_367_001_000_000n, "5h6m7.001s"],
    [480_000_000_001n, "8m0.000000001s"],
    [-1_500_000_000n, "-1.5s"],
    [2n ** 63n - 1n, "2562047h47m16.854775807s"],
    [-(2n ** 63n), "-2562047h47m16.854775808s"],
  ])("%s nanoseconds are printed as %s", (nanoseconds, text) => {
    expect(durationToString(nanoseconds)).toBe(text);
  });
});

test("milliseconds go both ways", () => {
  expect(parseDurationMs("1.5s")).toBe(1500);
  expect(parseDurationMs("1us")).toBe(0.001);
  expect(durationToString(durationFromMs(90_000))).toBe("1m30s");
  expect(durationToString(durationFromMs(0.0005))).toBe("500ns");
});

test("what is printed reads as the same duration", () => {
  fc.assert(
    fc.property(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), fc.nat(60), (value, shift) => {
      // Shifting makes short durations as likely as long ones.
      const nanoseconds = value >> BigInt(shift);
      expect(parseDuration(durationToString(nanoseconds))).toBe(nanoseconds);
    }),
  );
});
