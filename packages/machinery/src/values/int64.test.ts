import { expect, test } from "vitest";
import { parseInt64 } from "./int64.ts";

test.each([
  ["0", 0n],
  ["-0", 0n],
  ["+7", 7n],
  ["-12", -12n],
  ["00000000000000000000000012", 12n],
  ["9223372036854775807", 2n ** 63n - 1n],
  ["-9223372036854775808", -(2n ** 63n)],
  ["9223372036854775808", "value out of range"],
  ["-9223372036854775809", "value out of range"],
  ["1".repeat(100_000), "value out of range"],
  ["", "invalid syntax"],
  ["-", "invalid syntax"],
  ["1.0", "invalid syntax"],
  ["1_0", "invalid syntax"],
  ["0x1", "invalid syntax"],
  [" 1", "invalid syntax"],
  [`${"0".repeat(100_000)}x`, "invalid syntax"],
] as const)("%s is read as Go reads it", (text, expected) => {
  expect(parseInt64(text)).toBe(expected);
});
