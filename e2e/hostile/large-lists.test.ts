import { expect, it } from "vitest";
import { largeLists } from "./shapes/large-lists.ts";

it("ten lists of 60 MB at once let others in", async () => {
  const { answers, asked, failed, longestBlock } = await largeLists({ objects: 60, askers: 10 });
  // oxlint-disable-next-line no-console -- the figure is what this is for
  console.log(`Longest block: ${Math.round(longestBlock)} ms of CPU, /livez answered ${asked} times`);
  expect(answers).toHaveLength(10);
  for (const answer of answers) expect(answer).toMatchObject({ status: 200 });
  expect(Math.min(...answers.map(({ bytes }) => bytes))).toBeGreaterThan(60_000_000);
  expect({ failed, isAsked: asked > 20 }).toEqual({ failed: 0, isAsked: true });
  expect(longestBlock).toBeLessThan(250);
});
