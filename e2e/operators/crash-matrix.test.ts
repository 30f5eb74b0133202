import type { CrashPoint } from "@kedge/testkit";
import { describe } from "vitest";
import { testCrashMatrix } from "./testing/crash-matrix.ts";

/** Three points of each scenario, each at another moment. All of them: `kedge test sim`. */
function aFew(points: readonly CrashPoint[]): readonly CrashPoint[] {
  const step = Math.max(4, Math.floor(points.length / 9) * 3 + 1);
  return points.filter((_point, index) => index % step === 1);
}

describe("an operator that is killed, and starts again, comes to the same end", () => {
  testCrashMatrix({ operator: "redis", choose: aFew });
  testCrashMatrix({ operator: "application", choose: aFew });
});

describe("controllers that are killed, and start again, come to the same end", () => {
  testCrashMatrix({ operator: "redis", killed: "controllers", choose: (points) => points.slice(4, 5) });
});
