import { describe, expect, it } from "vitest";
import { whyNoContainers } from "../node/needs.ts";
import { soak } from "./soak.ts";
import { needs } from "../testing/needs.ts";

// `kedge bench soak` does the same for longer.
describe("a cluster whose parts are killed while it is used", needs(whyNoContainers()), () => {
  it("loses nothing and leaves nothing behind", { timeout: 900_000 }, async () => {
    const report = await soak({ durationMs: 35_000, killEveryMs: 8000, onNews: () => undefined });
    expect(report.problems).toEqual([]);
    expect(report.objects.acknowledged).toBeGreaterThan(50);
    expect(report.keys.acknowledged).toBeGreaterThan(50);
    expect(report.objects.lost + report.keys.lost).toBe(0);
    expect([...report.returns.values()].flat().length).toBeGreaterThan(1);
  });
});
