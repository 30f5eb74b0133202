import { expect, test } from "vitest";
import { mergeOrder } from "./merge-order.ts";

test.each([
  ["nothing applied leaves the live order", "abc", "", "abc"],
  ["nothing live gives the applied order", "", "ab", "AB"],
  ["shared items are in the applied order", "abcd", "dcba", "DCBA"],
  ["live items stay before the shared item that they stood before", "abc", "ca", "bCA"],
  ["new items stay where they were applied", "abc", "cxa", "bCXA"],
  ["both kinds together", "abcd", "xbyd", "aXBcYD"],
  ["items around moved ones", "xaybz", "bqa", "xyBzQA"],
  ["a shared item that moved up", "abcde", "ecx", "abdECX"],
  ["live items that are there twice stay so", "aabc", "cb", "aaCB"],
  ["shared items that are there twice become one", "abab", "ba", "BA"],
])("%s", (_, live, applied, expected) => {
  const steps = mergeOrder(live.split(""), applied.split(""));
  const shown = steps.map(({ element, liveIndex }) =>
    liveIndex === undefined ? element.toUpperCase() : live[liveIndex],
  );
  expect(shown.join("")).toBe(expected);
});
