import { expect, it } from "vitest";
import { largeLists } from "./shapes/large-lists.ts";

const protobuf = "application/vnd.kubernetes.protobuf";

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

it("three lists of 3,000 objects at once in protobuf let others in", async () => {
  const cost = await largeLists({ objects: 3000, size: 3000, askers: 3, accept: protobuf });
  for (const answer of cost.answers) expect(answer).toMatchObject({ status: 200 });
  expect(Math.min(...cost.answers.map(({ bytes }) => bytes))).toBeGreaterThan(9_000_000);
  expect(cost.failed).toBe(0);
  expect(cost.longestBlock).toBeLessThan(100);
});
