import { expect, it } from "vitest";
import { largeLists } from "./shapes/large-lists.ts";

// JavaScript has no text of more than 512 MB: a list must never be one.
it("a list of 600 MB is answered, and lets others in", async () => {
  const { answers, failed, longestBlock } = await largeLists({ objects: 600, askers: 1 });
  expect(answers).toMatchObject([{ status: 200 }]);
  expect(answers[0]?.bytes).toBeGreaterThan(600_000_000);
  expect(failed).toBe(0);
  expect(longestBlock).toBeLessThan(250);
});

it("ten lists of 200 MB at once let others in", async () => {
  const { answers, failed, longestBlock } = await largeLists({ objects: 200, askers: 10 });
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
  expect(failed).toBe(0);
  expect(longestBlock).toBeLessThan(250);
});
