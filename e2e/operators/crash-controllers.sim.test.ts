import type { CrashPoint } from "@kedge/testkit";
import { describe } from "vitest";
import { testCrashMatrix } from "./testing/crash-matrix.ts";

/** The hardest moment: what was done is known to nobody. */
const lostAnswers = (points: readonly CrashPoint[]): readonly CrashPoint[] =>
  points.filter(({ when }) => when === "at");

describe("controllers that are killed at each of their writes come to the same end", () => {
  testCrashMatrix({ operator: "redis", killed: "controllers", choose: lostAnswers });
  testCrashMatrix({ operator: "application", killed: "controllers", choose: lostAnswers });
});
