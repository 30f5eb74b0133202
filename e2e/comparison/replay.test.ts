import { describe, expect, it } from "vitest";
import { inOrder } from "./json.ts";
import { countComparisons, readRecording } from "./recording.ts";
import { topics } from "./topics.ts";

describe.each(topics)("$name", (topic) => {
  const { fixtures, comparisons } = readRecording(topic.name);

  it("is recorded as it is asked now; otherwise run e2e/comparison/record.ts", async ({ annotate }) => {
    const asked = topic.inputs("").map((input) => JSON.stringify(input));
    const recorded = comparisons.map(({ input }) => JSON.stringify(input));
    expect(new Set(asked).size).toBe(asked.length);
    expect(recorded).toEqual(asked.filter((input) => recorded.includes(input)));
    // What the server had nothing to say about is the exception.
    expect(recorded.length).toBeGreaterThan(asked.length * 0.8);
    await annotate(`${countComparisons(topic, { fixtures, comparisons })} comparisons`, "count");
  });

  it.each(comparisons.map((comparison) => [topic.titleOf(comparison.input), comparison] as const))(
    "%s",
    (_title, comparison) => {
      expect(inOrder(topic.ours(comparison, fixtures))).toEqual(comparison.reply);
    },
  );
});
