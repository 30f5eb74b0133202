import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startOracle, type Oracle } from "../real/oracle.ts";
import { inOrder } from "./json.ts";
import { askAll, countComparisons, readRecording, type Recording } from "./recording.ts";
import { serverOf } from "./server.ts";
import { topics } from "./topics.ts";

let oracle: Oracle | undefined;
beforeAll(async () => {
  oracle = await startOracle();
});
afterAll(() => oracle?.stop());

describe.each(topics)("$name", (topic) => {
  const recorded = readRecording(topic.name);
  let live: Recording = { fixtures: null, comparisons: [] };

  beforeAll(async () => {
    if (oracle === undefined) throw new Error("the oracle is not there");
    const server = serverOf(oracle);
    live = await askAll(topic, { server, namespace: topic.name });
    await server.close();
  });

  it("is built on what was recorded, and asks as much", async ({ annotate }) => {
    expect(live.fixtures).toEqual(recorded.fixtures);
    expect(live.comparisons.length).toBe(recorded.comparisons.length);
    await annotate(`${countComparisons(topic, recorded)} comparisons`, "count");
  });

  it.each(recorded.comparisons.map(({ input }, index) => [topic.titleOf(input), index] as const))(
    "%s",
    (_title, index) => {
      const now = live.comparisons[index];
      expect(now).toEqual(recorded.comparisons[index]);
      expect(now && inOrder(topic.ours(now, live.fixtures))).toEqual(now?.reply);
    },
  );
});
