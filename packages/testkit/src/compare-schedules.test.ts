import { ConfigMap } from "@kedge/machinery/kinds/core/v1";
import { defineController, may, watches } from "@kedge/runtime";
import { expect, it } from "vitest";
import { compareSchedules } from "./compare-schedules.ts";
import type { Scenario } from "./run-scenario.ts";
import { Website, websites } from "./testing/website.ts";
import type { TestOperator } from "./types.ts";

const at = { namespace: "default", name: "blog" };

function scenarioOf(operator: TestOperator): Scenario {
  return {
    options: { operators: [operator] },
    process: operator.name,
    async act(env) {
      await env.create(Website, { metadata: at, spec: { html: "hello", replicas: 1 } });
    },
  };
}

const schedules = [
  { seed: 2, lag: 0 },
  { seed: 3, lag: 20_000 },
];

it("finds nothing in an operator that does not believe its caches too much", async () => {
  expect(await compareSchedules(scenarioOf(websites), schedules)).toEqual([]);
});

/** Takes what its cache does not show for what is not there. */
const hasty: TestOperator = {
  name: "hasty-operator",
  kinds: [Website],
  rights: [may(["create", "patch"], ConfigMap)],
  controllers: () => [
    defineController({
      name: "hasty-operator",
      for: Website,
      watches: [watches(ConfigMap, () => [])],
      async reconcile(run) {
        const { object: site, client, clock } = run;
        if (site === undefined) return undefined;
        const { namespace, creationTimestamp } = site.metadata;
        const age = clock.now() - Date.parse(creationTimestamp);
        if (age < 10_000) return { requeueAfter: 10_000 - age };
        if (run.read(ConfigMap).get({ namespace, name: "page" }) !== undefined) return undefined;
        const labels = { site: site.metadata.name };
        const missing = { metadata: { namespace, name: "no-page", labels } };
        await client.of(ConfigMap).apply(missing, { fieldManager: "hasty-operator" });
        return undefined;
      },
    }),
  ],
};

it("finds what an operator does because its cache is behind", async () => {
  const scenario = scenarioOf(hasty);
  const failures = await compareSchedules(
    {
      ...scenario,
      async act(env) {
        await scenario.act(env);
        await env.create(ConfigMap, { metadata: { ...at, name: "page" } });
      },
    },
    [0, 300_000].flatMap((lag) => [2, 3, 4, 5].map((seed) => ({ seed, lag }))),
  );
  expect(failures.length).toBeGreaterThan(0);
  for (const failure of failures) {
    expect(failure).toContain('"lag":300000');
    expect(failure).toContain("ConfigMap default/no-page");
  }
});
