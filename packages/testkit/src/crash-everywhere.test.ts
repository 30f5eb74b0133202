import { ConfigMap } from "@kedge/machinery/kinds/core/v1";
import { defineController, may, writeStatus } from "@kedge/runtime";
import { expect, it } from "vitest";
import { crashEverywhere, type CrashScenario } from "./crash-everywhere.ts";
import { Website, websites } from "./testing/website.ts";
import type { TestOperator } from "./types.ts";

const at = { namespace: "default", name: "blog" };

function scenarioOf(operator: TestOperator): CrashScenario {
  return {
    options: { operators: [operator] },
    process: operator.name,
    async act(env) {
      await env.create(Website, { metadata: at, spec: { html: "hello", replicas: 1 } });
    },
  };
}

/** Takes note of what it has made only afterwards. */
const forgetful: TestOperator = {
  name: "forgetful-operator",
  kinds: [Website],
  rights: [may(["create"], ConfigMap)],
  controllers: () => [
    defineController({
      name: "forgetful-operator",
      for: Website,
      async reconcile(context) {
        const site = context.object;
        if (site === undefined || site.status?.ready === 1) return undefined;
        const { namespace } = site.metadata;
        await context.client.of(ConfigMap).create({ metadata: { namespace, generateName: "page-" } });
        await writeStatus(context, Website, site, { ready: 1 });
        return undefined;
      },
    }),
  ],
};

it("kills an operator before, at and after each of its writes, and finds nothing in a good one", async () => {
  const { writes, points, end, failures } = await crashEverywhere(scenarioOf(websites));
  expect(writes.length).toBeGreaterThan(3);
  expect(points).toBe(3 * writes.length);
  expect(end).toContain("Deployment default/blog");
  expect(failures).toEqual([]);
});

it("finds what an operator makes twice when the answer is lost, or it dies before it takes note", async () => {
  const { failures } = await crashEverywhere(scenarioOf(forgetful));
  expect(failures.map((failure) => failure.split(",")[0])).toEqual([
    "killed at write 0",
    "killed after write 0",
    "killed before write 1",
  ]);
  expect(failures[0]).toContain("ConfigMap default/page-* (2): ");
  expect(failures[0]).toContain(
    'lifetimes › /registry/configmaps/default/page-*: "created 2, deleted 0", not "created 1, deleted 0"',
  );
});

it("tries the points that are chosen", async () => {
  const { points } = await crashEverywhere({
    ...scenarioOf(websites),
    choose: (all) => all.slice(0, 1),
  });
  expect(points).toBe(1);
});
