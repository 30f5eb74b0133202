import { findCondition } from "@kedge/machinery";
import { CustomResourceDefinition } from "@kedge/machinery/kinds/apiextensions/v1";
import { ConfigMap, Pod, Service } from "@kedge/machinery/kinds/core/v1";
import { EndpointSlice } from "@kedge/machinery/kinds/discovery/v1";
import { PrometheusRule, RedisInstance, ServiceMonitor } from "@kedge/redis-operator";
import { withDefaults } from "@kedge/schema";
import { startTestEnv, type TestEnv } from "@kedge/testkit";
import { expect, it } from "vitest";
import { monitoringCrds } from "./testing/monitoring-crds.ts";
import { seededRedisOperator } from "./testing/operators.ts";
import { RedisModel } from "./testing/redis-model/redis-model.ts";

const at = { namespace: "default", name: "cache" };
const metrics = { ...at, name: "cache-metrics" };

/** By name, with what they run. */
async function podsOf(env: TestEnv): Promise<Readonly<Record<string, readonly string[]>>> {
  const { items } = await env.run(env.client.of(Pod).list({ namespace: at.namespace }).all());
  return Object.fromEntries(
    items.map(({ metadata, spec }) => [metadata.name, spec?.containers.map(({ name }) => name) ?? []]),
  );
}

async function uidsOf(env: TestEnv, prefix: string): Promise<readonly string[]> {
  const { items } = await env.run(env.client.of(Pod).list({ namespace: at.namespace }).all());
  return items.filter(({ metadata }) => metadata.name.startsWith(prefix)).map(({ metadata }) => metadata.uid);
}

async function metricsReadyOf(env: TestEnv): Promise<string | undefined> {
  const { status } = await env.run(env.client.of(RedisInstance).get(at));
  return findCondition(status?.conditions, "MetricsReady")?.status;
}

const servers = { "cache-0": ["redis"], "cache-1": ["redis"] };
const exporters = { "cache-metrics-0": ["exporter"], "cache-metrics-1": ["exporter"] };

it("metrics come without a roll, find Prometheus when it comes, and leave nothing when they go", async () => {
  await using env = await startTestEnv({
    operators: [seededRedisOperator],
    programs: (world) => new RedisModel(world),
  });
  const spec = { image: "redis:7.0", replicas: 2 };
  await env.create(RedisInstance, withDefaults(RedisInstance, { metadata: at, spec }));
  await env.eventually(RedisInstance, at, ({ status }) => status?.status === "Running");
  await env.untilQuiet();
  const before = await uidsOf(env, "cache-");
  const change = (wish: object) =>
    env.run(env.client.of(RedisInstance).patch(at, { merge: { spec: { metrics: wish } } }));
  await change({ enabled: true, labels: { release: "prometheus" } });
  await env.untilQuiet();
  expect(await metricsReadyOf(env)).toBe("True");
  expect(await podsOf(env)).toEqual({ ...servers, ...exporters });
  expect(await uidsOf(env, "cache-")).toEqual(expect.arrayContaining([...before]));
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
  expect(await podsOf(env)).toEqual(servers);
  expect(await uidsOf(env, "cache-")).toEqual(before);
  await env.eventuallyGone(ServiceMonitor, metrics);
  await env.eventuallyGone(PrometheusRule, metrics);
  await env.eventuallyGone(Service, metrics);
  await env.eventuallyGone(ConfigMap, { ...at, name: "cache-dashboard" });
  const { status } = await env.run(env.client.of(RedisInstance).get(at));
  expect(status?.status).toBe("Running");
  expect(await metricsReadyOf(env)).toBeUndefined();
});

it("an exporter that crashes again and again leaves its server ready, and gets another password with the system's", async () => {
  await using env = await startTestEnv({
    operators: [seededRedisOperator],
    programs: (world) => new RedisModel(world),
  });
  const spec = { image: "redis:7.0", replicas: 2, metrics: { enabled: true } };
  await env.create(RedisInstance, withDefaults(RedisInstance, { metadata: at, spec }));
  await env.eventually(RedisInstance, at, ({ status }) => status?.status === "Running");
  await env.untilQuiet();
  const [before, old] = [await uidsOf(env, "cache-0"), await uidsOf(env, "cache-metrics-")];
  const seen: unknown[] = [];
  for (let crash = 0; crash < 5; crash++) {
    env.node.crash({ ...at, name: "cache-metrics-0" }, { exitCode: 1 });
    await env.advance("2s");
    const { status } = await env.run(env.client.of(RedisInstance).get(at));
    const { items } = await env.run(
      env.client.of(EndpointSlice).list({ namespace: at.namespace, labelSelector: primaryService }).all(),
    );
    seen.push([
      status?.status,
      items.flatMap(({ endpoints }) => endpoints?.map((one) => one.conditions?.ready)),
    ]);
  }
  expect(seen).toEqual(Array.from({ length: 5 }, () => ["Running", [true]]));
  expect(await metricsReadyOf(env)).toBe("False");
  const rotate = { "redis.github.com/rotate-password": "system" };
  await env.run(env.client.of(RedisInstance).patch(at, { merge: { metadata: { annotations: rotate } } }));
  await env.untilQuiet();
  expect(await uidsOf(env, "cache-0")).toEqual(before);
  for (const uid of await uidsOf(env, "cache-metrics-")) expect(old).not.toContain(uid);
});

const primaryService = "kubernetes.io/service-name=cache";
