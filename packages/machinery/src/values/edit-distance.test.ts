import { expect, it } from "vitest";
import { editDistance } from "./edit-distance.ts";

it.each([
  ["", "", 0],
  ["", "abc", 3],
  ["maxmemory-polcy", "maxmemory-policy", 1],
  ["kitten", "sitting", 3],
])("from %j to %j are %d edits, and back", (one, other, edits) => {
  expect(editDistance(one, other)).toBe(edits);
  expect(editDistance(other, one)).toBe(edits);
});
