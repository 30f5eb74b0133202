import type { CrashPoint } from "@kedge/testkit";
import { describe } from "vitest";
import { testStories } from "./testing/test-stories.ts";

/** Three points of each story, each at another moment. All of them: `kedge test sim`. */
function aFew(points: readonly CrashPoint[]): readonly CrashPoint[] {
  const step = Math.max(4, Math.floor(points.length / 9) * 3 + 1);
  return points.filter((_point, index) => index % step === 1);
}

describe("an operator that is killed while primaries change comes to a good end", () => {
  testStories({ choose: aFew });
});
