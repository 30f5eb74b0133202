import { crashEverywhere, type CrashPoint } from "@kedge/testkit";
import { expect, it } from "vitest";
import { stories, storyScenario } from "./failover-scenarios.ts";

const timeout = 3_600_000;

/** A test for each story: whenever the operator is killed, nothing is lost, and the end is that of the undisturbed run. */
export function testStories({
  choose,
  seed = 1,
}: {
  readonly choose?: (points: readonly CrashPoint[]) => readonly CrashPoint[];
  readonly seed?: number;
}): void {
  it.for(Object.keys(stories))(`%s, seed ${seed}`, { timeout }, async (name, { annotate }) => {
    const { points, failures, writes } = await crashEverywhere({
      ...storyScenario(name, seed),
      ...(choose !== undefined && { choose }),
    });
    await annotate(
      `${points} crash points, ${writes.filter((what) => what.startsWith("redis ")).length} of Redis`,
      "count",
    );
    expect(failures).toEqual([]);
  });
}
