import { describe } from "vitest";
import { testCrashMatrix } from "./testing/crash-matrix.ts";

describe("an operator that is killed before, at and after each of its writes comes to the same end", () => {
  testCrashMatrix({ operator: "application" });
  testCrashMatrix({ operator: "application", seed: 2 });
});
