import { describe, expect, it } from "vitest";
import { whyNoContainers } from "../node/needs.ts";
import { needs } from "../testing/needs.ts";
import { storm } from "./pod-storm.ts";

/** `KEDGE_TEST_SEED=<number>` tries others. */
const seed = process.env["KEDGE_TEST_SEED"] ?? "20261116";

// `kedge test long` does the same with 200.
describe(`25 random pods (seed ${seed})`, needs(whyNoContainers()), () => {
  it("leave the node healthy and clean", { timeout: 900_000 }, async () => {
    const report = await storm({ seed, pods: 25, wave: 13, onNews: () => undefined });
    expect(report.problems).toEqual([]);
    expect(report.refused).toEqual([]);
    // Some are killed before they begin, not all.
    expect(report.phases["Pending"] ?? 0).toBeLessThan(25);
  });
});
