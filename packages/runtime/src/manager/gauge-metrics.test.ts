import { Registry } from "prom-client";
import { expect, it } from "vitest";
import { gaugeMetrics } from "./gauge-metrics.ts";

it("tells what is so when it is asked, and forgets what is not any more", async () => {
  const registry = new Registry();
  let phases: Readonly<Record<string, number>> = { Running: 2, Failed: 1 };
  const values = () => Object.entries(phases).map(([phase, value]) => ({ labels: { phase }, value }));
  gaugeMetrics(registry, { name: "things", help: "Things", labelNames: ["phase"], values });
  expect(await registry.metrics()).toContain('things{phase="Running"} 2\nthings{phase="Failed"} 1');
  phases = { Running: 3 };
  const text = await registry.metrics();
  expect(text).toContain('things{phase="Running"} 3');
  expect(text).not.toContain("Failed");
});

it("is a counter where it is said so", async () => {
  const registry = new Registry();
  const values = () => [{ labels: {}, value: 7 }];
  gaugeMetrics(registry, { name: "done_total", help: "Done", labelNames: [], type: "counter", values });
  await registry.metrics();
  expect(await registry.metrics()).toContain("# TYPE done_total counter\ndone_total 7");
});
