import { crashEverywhere } from "@kedge/testkit";
import { describe, expect, it } from "vitest";
import { rotationScenario } from "./testing/rotation-scenario.ts";

describe("an operator that is killed before, at and after each write and each command of a rotation", () => {
  it("shuts no client out, and comes to a good end", async ({ annotate }) => {
    const { points, failures } = await crashEverywhere(rotationScenario);
    await annotate(`${points} crash points`, "count");
    expect(failures).toEqual([]);
  }, 3_600_000);
});
