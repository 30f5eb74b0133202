import { CustomResourceDefinition } from "@kedge/machinery/kinds/apiextensions/v1";
import { ConfigMap, Pod, Service } from "@kedge/machinery/kinds/core/v1";
import { PrometheusRule, RedisInstance, ServiceMonitor } from "@kedge/redis-operator";
import { withDefaults } from "@kedge/schema";
import { startTestEnv, type TestEnv } from "@kedge/testkit";
import { expect, it } from "vitest";
import { monitoringCrds } from "./testing/monitoring-crds.ts";
import { seededRedisOperator } from "./testing/operators.ts";
import { RedisModel } from "./testing/redis-model/redis-model.ts";

const at = { namespace: "default", name: "cache" };
const metrics = { ...at, name: "cache-metrics" };

async function containersOf(env: TestEnv): Promise<readonly (readonly string[])[]> {
  const { items } = await env.run(env.client.of(Pod).list({ namespace: at.namespace }).all());
  return items.map(({ spec }) => spec?.containers.map(({ name }) => name) ?? []);
}

it("metrics come with a roll, find Prometheus when it comes, and leave nothing when they go", async () => {
  await using env = await startTestEnv({
    operators: [seededRedisOperator],
    programs: (world) => new RedisModel(world),
  });
  const spec = { image: "redis:7.0", replicas: 2 };
  await env.create(RedisInstance, withDefaults(RedisInstance, { metadata: at, spec }));
  await env.eventually(RedisInstance, at, ({ status }) => status?.status === "Running");
  await env.untilQuiet();
  const change = (wish: object) =>
    env.run(env.client.of(RedisInstance).patch(at, { merge: { spec: { metrics: wish } } }));
  await change({ enabled: true, labels: { release: "prometheus" } });
  await env.untilQuiet();
  expect(await containersOf(env)).toEqual([
    ["redis", "exporter"],
    ["redis", "exporter"],
  ]);
  expect((await env.run(env.client.of(Service).get(metrics))).spec?.ports?.[0]?.port).toBe(9121);
  const { data } = await env.run(env.client.of(ConfigMap).get({ ...at, name: "cache-dashboard" }));
  expect(JSON.parse(Object.values(data ?? {})[0] ?? "")).toMatchObject({ title: "Redis default/cache" });
  // The cluster gets the kinds later.
  for (const crd of monitoringCrds) await env.create(CustomResourceDefinition, crd);
  const monitor = await env.eventually(ServiceMonitor, metrics, () => true);
  expect(monitor.metadata.labels).toMatchObject({
    release: "prometheus",
    "redis.github.com/part": "metrics",
  });
  const rule = await env.eventually(PrometheusRule, metrics, () => true);
  expect(rule.spec.groups[0]?.rules.map(({ alert }) => alert)).toContain("RedisReplicaLinkDown");
  await change({ enabled: false });
  await env.untilQuiet();
  expect(await containersOf(env)).toEqual([["redis"], ["redis"]]);
  await env.eventuallyGone(ServiceMonitor, metrics);
  await env.eventuallyGone(PrometheusRule, metrics);
  await env.eventuallyGone(Service, metrics);
  await env.eventuallyGone(ConfigMap, { ...at, name: "cache-dashboard" });
  const { status } = await env.run(env.client.of(RedisInstance).get(at));
  expect(status?.status).toBe("Running");
});
