import { expect, test } from "vitest";
import { humanDuration } from "./human-duration.ts";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

test.each([
  [-2 * second, "<invalid>"],
  [-1.9 * second, "0s"],
  [0, "0s"],
  [999, "0s"],
  [119 * second, "119s"],
  [2 * minute, "2m"],
  [2 * minute + 30 * second, "2m30s"],
  [10 * minute + 59 * second, "10m"],
  [179 * minute, "179m"],
  [3 * hour, "3h"],
  [7 * hour + 59 * minute, "7h59m"],
  [8 * hour + 59 * minute, "8h"],
  [47 * hour, "47h"],
  [2 * day, "2d"],
  [6 * day + 4 * hour, "6d4h"],
  [8 * day + 4 * hour, "8d"],
  [729 * day, "729d"],
  [730 * day, "2y"],
  [3 * 365 * day + 5 * day, "3y5d"],
  [8 * 365 * day + 5 * day, "8y"],
])("%d ms is %s", (milliseconds, text) => {
  expect(humanDuration(milliseconds)).toBe(text);
});
