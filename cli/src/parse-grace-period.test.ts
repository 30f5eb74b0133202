import { expect, it } from "vitest";
import { parseGracePeriod } from "./parse-grace-period.ts";

it.each([
  ["12s", 12],
  ["50", 50],
  ["3600s", 3600],
])("takes %s", (text, seconds) => {
  expect(parseGracePeriod(text)).toBe(seconds);
});

it.each(["11s", "3601", "1m", "-20", "", "20.5s", "s"])("refuses %j and says what is allowed", (text) => {
  expect(() => parseGracePeriod(text)).toThrow(`${text} is no grace period: it must be from 12s to 3600s`);
});
