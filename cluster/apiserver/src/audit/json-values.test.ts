import { expect, test } from "vitest";
import { hasAtMostValues } from "./json-values.ts";

test.each([
  ["[]", 2],
  ["[1,2]", 3],
  [String.raw`{"a,[{":"b\"c,\\","d":[{}]}`, 5],
  [String.raw`["unended \\\" , , ,`, 2],
])("%s has %i values", (json, count) => {
  const bytes = Buffer.from(json);
  expect([hasAtMostValues(bytes, count), hasAtMostValues(bytes, count - 1)]).toEqual([true, false]);
});

test("one that is nothing but quotes takes no longer than another of its size", () => {
  expect(hasAtMostValues(Buffer.alloc(3 << 20, String.raw`\"`), 10)).toBe(true);
  expect(hasAtMostValues(Buffer.concat([Buffer.from('"'), Buffer.alloc(3 << 20, "\\")]), 10)).toBe(true);
});
