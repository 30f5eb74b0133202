import { describe, expect, test } from "vitest";
import { formatMicroTime, formatTime, parseTime } from "./time.ts";

test.each([
  [0, "1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000000Z"],
  [1_794_778_562_999, "2026-11-15T21:36:02Z", "2026-11-15T21:36:02.999000Z"],
  [1_794_778_562_000.25, "2026-11-15T21:36:02Z", "2026-11-15T21:36:02.000250Z"],
  [-1, "1969-12-31T23:59:59Z", "1969-12-31T23:59:59.999000Z"],
])("%s is written %s and %s", (ms, time, microTime) => {
  expect(formatTime(ms)).toBe(time);
  expect(formatMicroTime(ms)).toBe(microTime);
});

test("each time is its own, whatever was written before", () => {
  const times = [0, 999, 1000, -0.5, -1000, 1999, 0].map(formatTime);
  expect(times.map((text) => Date.parse(text) / 1000)).toEqual([0, 0, 1, -1, -1, 1, 0]);
  expect(() => formatTime(Number.NaN)).toThrow(RangeError);
});

describe("parseTime", () => {
  test.each([
    ["2026-11-15T21:36:02Z", 1_794_778_562_000],
    ["2026-11-15T21:36:02.250000Z", 1_794_778_562_250],
    ["2026-11-15T22:36:02+01:00", 1_794_778_562_000],
  ])("reads %s", (text, ms) => {
    expect(parseTime(text)).toBe(ms);
  });

  test.each(["", "2026", "2026-11-15", "15 Nov 2026", "2026-13-15T21:36:02Z", "2026-11-15T21:36:02"])(
    "refuses %j",
    (text) => {
      expect(() => parseTime(text)).toThrow(`time ${JSON.stringify(text)}: must be as RFC 3339 has it`);
    },
  );
});
