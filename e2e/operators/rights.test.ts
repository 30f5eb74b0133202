import { Application, applicationOperator } from "@kedge/application-operator";
import { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import { CustomResourceDefinition } from "@kedge/machinery/kinds/apiextensions/v1";
import { ConfigMap, Pod, Secret } from "@kedge/machinery/kinds/core/v1";
import { RedisInstance } from "@kedge/redis-operator";
import { withDefaults } from "@kedge/schema";
import { startTestEnv, type TestEnv } from "@kedge/testkit";
import { expect, it } from "vitest";
import { seededRedisOperator } from "./testing/operators.ts";
import { monitoringCrds } from "./testing/monitoring-crds.ts";
import { RedisModel } from "./testing/redis-model/redis-model.ts";

// That operators ask for nothing beyond their roles, every test in a test environment sees. This is the other half:
// that they ask for all of it, so that a role without any one of its rights would be too small.

/** Of servers that check owner references, and of those that cannot stream a list into a watch: ours is neither. */
const elsewhere = /^(?:update \w+\/finalizers\.|list )/u;

function unusedOf(env: TestEnv, operator: string): readonly string[] {
  return env.unusedRights(operator).filter((right) => !elsewhere.test(right));
}

it("the Redis operator needs every right of its role", async () => {
  await using env = await startTestEnv({
    operators: [seededRedisOperator],
    programs: (world) => new RedisModel(world),
  });
  const at = { namespace: "default", name: "cache" };
  const change = async (spec: object): Promise<void> => {
    await env.run(env.client.of(RedisInstance).patch(at, { merge: { spec } }));
    await env.untilQuiet();
  };
  const spec = { image: "redis:7.0", replicas: 2, deletionPolicy: "Delete" as const };
  await env.create(RedisInstance, withDefaults(RedisInstance, { metadata: at, spec }));
  await env.eventually(RedisInstance, at, ({ status }) => status?.status === "Running");
  for (const crd of monitoringCrds) await env.create(CustomResourceDefinition, crd);
  await env.untilQuiet();
  await change({ metrics: { enabled: true } });
  await change({ metrics: { enabled: false } });
  await change({ networkPolicy: { enabled: true } });
  await change({ networkPolicy: { enabled: false } });
  // A live change, one that rolls, and a new size of the volumes.
  await change({ config: { maxmemory: "1gb" } });
  await change({ config: { maxmemory: "1gb", databases: "4" } });
  await change({ storage: { size: "2Gi" } });
  // A template that does not work is undone.
  env.node.setPullable("redis:7.0.99", false);
  await env.run(env.client.of(RedisInstance).patch(at, { merge: { spec: { image: "redis:7.0.99" } } }));
  await env.advance("10m");
  await change({ image: "redis:7.0" });
  // The primary hangs, and is given up.
  const { status } = await env.run(env.client.of(RedisInstance).get(at));
  const model = env.programs;
  const hung =
    model instanceof RedisModel && model.processes.find(({ pod }) => pod === status?.replication?.primary);
  if (hung) hung.isPaused = true;
  await env.untilQuiet();
  // The next one ends, and is away for long enough: before it is given up, the API server is asked for its pod.
  const { status: then } = await env.run(env.client.of(RedisInstance).get(at));
  const key = { ...at, name: then?.replication?.primary ?? "" };
  const isLost = ({ status: now }: RedisInstance): boolean => now?.replication?.primary !== key.name;
  for (let crash = 0; crash < 3; crash++) {
    env.node.crash(key, { exitCode: 137 });
    await env.advance("2s");
  }
  await env.eventually(RedisInstance, at, isLost);
  await env.untilQuiet();
  // Somebody spoils the Secret that applications bind to.
  const binding = { namespace: "default", name: "cache-binding" };
  await env.run(env.client.of(Secret).patch(binding, { merge: { data: { host: "" } } }));
  await env.untilQuiet();
  await change({ replicas: 1 });
  await env.run(env.client.of(RedisInstance).delete(at));
  await env.eventuallyGone(RedisInstance, at);
  for (const kind of [StatefulSet, ConfigMap, Pod])
    await env.eventuallyGone<unknown, "Namespaced", string>(kind, at);
  expect(unusedOf(env, "redis")).toEqual([]);
});

it("the Application operator needs every right of its role", async () => {
  await using env = await startTestEnv({ operators: [applicationOperator] });
  const at = { namespace: "default", name: "shop" };
  const change = async (spec: object): Promise<void> => {
    await env.run(env.client.of(Application).patch(at, { merge: { spec } }));
    await env.untilQuiet();
  };
  const storage = { persistentVolumeClaims: [{ name: "photos", size: "1Gi" }] };
  const scaling = { minReplicas: 1, maxReplicas: 2, targetCPUUtilizationPercentage: 80 };
  const resources = { requests: { cpu: "100m" } };
  const spec = {
    image: "shop:1",
    port: 8080,
    deletionPolicy: "Delete" as const,
    storage,
    scaling,
    resources,
  };
  await env.create(Application, withDefaults(Application, { metadata: at, spec }));
  await env.untilQuiet();
  await change({ scaling: null, port: null });
  await env.run(env.client.of(Application).delete(at));
  await env.eventuallyGone(Application, at);
  expect(unusedOf(env, "application")).toEqual([]);
});
