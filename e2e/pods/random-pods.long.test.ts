import { describe, expect, it } from "vitest";
import { whyNoContainers } from "../node/needs.ts";
import { needs } from "../testing/needs.ts";
import { storm } from "./pod-storm.ts";

/** `KEDGE_TEST_SEED=<number>` tries others. */
const seed = process.env["KEDGE_TEST_SEED"] ?? "20261116";

describe(`200 random pods (seed ${seed})`, needs(whyNoContainers()), () => {
  it("leave the node healthy and clean", { timeout: 3_600_000 }, async () => {
    const onNews = (line: string): void => {
      process.stdout.write(`${line}\n`);
    };
    const report = await storm({ seed, pods: 200, wave: 20, onNews });
    onNews(JSON.stringify(report.phases));
    expect(report.problems).toEqual([]);
    expect(report.refused).toEqual([]);
    // Some are killed before they begin, not all.
    expect(report.phases["Pending"] ?? 0).toBeLessThan(200);
    expect(Object.values(report.phases).reduce((sum, count) => sum + count, 0)).toBe(200);
  });
});
