import { describe, expect, it } from "vitest";
import { whyNoContainers } from "../node/needs.ts";
import { reportText } from "./report-text.ts";
import { soak } from "./soak.ts";
import { needs } from "../testing/needs.ts";

const minutes = 15;

describe(`a cluster whose parts are killed for ${minutes} minutes`, needs(whyNoContainers()), () => {
  it("loses nothing, leaves nothing behind and does not grow", { timeout: 60 * 60_000 }, async () => {
    const onNews = (line: string): void => {
      process.stdout.write(`${line}\n`);
    };
    const report = await soak({ durationMs: minutes * 60_000, killEveryMs: 20_000, onNews });
    onNews(reportText(report));
    expect(report.problems).toEqual([]);
  });
});
