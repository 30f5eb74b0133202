import { CustomResourceDefinition } from "@kedge/machinery/kinds/apiextensions/v1";
import { applyChild, defineController, optional, reconcileByPlan } from "@kedge/runtime";
import { conditions, crdOf, defineKind } from "@kedge/schema";
import { startTestEnv, type TestOperator } from "@kedge/testkit";
import { expect, it } from "vitest";
import * as z from "zod";

const common = {
  group: "example.com",
  version: "v1",
  scope: "Namespaced",
  description: "For tests.",
} as const;
const Shop = defineKind({
  ...common,
  kind: "Shop",
  plural: "shops",
  spec: z.object({}),
  status: z.object({ isMonitored: z.boolean().optional(), conditions: conditions().optional() }),
});
/** Like a ServiceMonitor: not every cluster has the kind. */
const Monitor = defineKind({
  ...common,
  kind: "Monitor",
  plural: "monitors",
  spec: z.object({ every: z.string() }),
  status: z.object({}),
});

const shops: TestOperator = {
  name: "shops",
  kinds: [Shop],
  controllers: () => [
    defineController({
      name: "shops",
      for: Shop,
      owns: [optional(Monitor)],
      reconcile: reconcileByPlan({
        kind: Shop,
        observe: (run, shop) => ({
          name: shop.metadata.name,
          isServed: run.read(Monitor).isServed,
          monitor: run.read(Monitor).get(run.key),
        }),
        plan: ({ name, isServed }) => ({
          actions: isServed ? [applyChild(Monitor, { metadata: { name }, spec: { every: "10s" } })] : [],
        }),
        report: ({ observed }) => ({ status: { isMonitored: observed.monitor !== undefined } }),
      }),
    }),
  ],
};

const key = { namespace: "default", name: "books" };

it("uses a kind whose definition comes later, and goes on when it goes", async () => {
  await using env = await startTestEnv({ operators: [shops], node: false });
  await env.create(Shop, { metadata: key, spec: {} });
  await env.eventually(Shop, key, ({ status }) => status?.isMonitored === false);
  const { metadata } = await env.create(CustomResourceDefinition, crdOf(Monitor));
  const before = env.clock.monotonic();
  await env.eventually(Shop, key, ({ status }) => status?.isMonitored === true);
  expect(env.clock.monotonic() - before).toBeLessThan(10_000);
  await env.run(env.client.of(CustomResourceDefinition).delete({ name: metadata.name }));
  await env.eventually(Shop, key, ({ status }) => status?.isMonitored === false);
  await env.create(CustomResourceDefinition, crdOf(Monitor));
  await env.eventually(Shop, key, ({ status }) => status?.isMonitored === true);
});
