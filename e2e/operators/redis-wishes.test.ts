import { findCondition } from "@kedge/machinery";
import { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import { PersistentVolumeClaim, Pod, Secret, Service } from "@kedge/machinery/kinds/core/v1";
import { PodDisruptionBudget } from "@kedge/machinery/kinds/policy/v1";
import { RedisInstance } from "@kedge/redis-operator";
import { withDefaults } from "@kedge/schema";
import { startTestEnv, type TestEnv } from "@kedge/testkit";
import { expect, it } from "vitest";
import { seededRedisOperator } from "./testing/operators.ts";

const at = { namespace: "default", name: "cache" };

async function clusterWith(spec: object): Promise<TestEnv> {
  const env = await startTestEnv({ operators: [seededRedisOperator] });
  await env.create(
    RedisInstance,
    withDefaults(RedisInstance, { metadata: at, spec: { image: "redis:7.0", ...spec } }),
  );
  await until(env, "Running");
  return env;
}

const until = (env: TestEnv, phase: string): Promise<RedisInstance> =>
  env.eventually(RedisInstance, at, ({ status }) => status?.status === phase);
const change = (env: TestEnv, spec: object): Promise<RedisInstance> =>
  env.run(env.client.of(RedisInstance).patch(at, { merge: { spec } }));
const namesOf = async (env: TestEnv, kind: typeof Pod | typeof PersistentVolumeClaim): Promise<string[]> => {
  const { items } = await env.run(
    env.client
      .of(kind as typeof Pod)
      .list(at)
      .all(),
  );
  return items.map(({ metadata }) => metadata.name).toSorted();
};

it("sleeps without pods, keeps its volumes, and comes back with them", async () => {
  await using env = await clusterWith({ replicas: 2 });
  const claims = await namesOf(env, PersistentVolumeClaim);
  await change(env, { hibernate: true });
  const { status } = await until(env, "Hibernated");
  expect(status).toMatchObject({ ready: "False", readyReplicas: "0/0" });
  expect(findCondition(status?.conditions, "Ready")).toMatchObject({ reason: "Hibernated" });
  expect(findCondition(status?.conditions, "Stalled")).toBeUndefined();
  expect([await namesOf(env, Pod), await namesOf(env, PersistentVolumeClaim)]).toEqual([[], claims]);
  await change(env, { hibernate: false });
  await until(env, "Running");
  expect([await namesOf(env, Pod), await namesOf(env, PersistentVolumeClaim)]).toEqual([
    ["cache-0", "cache-1"],
    claims,
  ]);
});

it("is left alone while it is suspended, and repaired afterwards", async () => {
  await using env = await clusterWith({});
  await change(env, { suspend: true });
  await env.eventually(
    RedisInstance,
    at,
    ({ status }) => findCondition(status?.conditions, "Suspended")?.status === "True",
  );
  await change(env, { replicas: 3 });
  await env.run(env.client.of(Service).delete(at));
  await env.advance("20m");
  const set = await env.run(env.client.of(StatefulSet).get(at));
  expect(set.spec?.replicas).toBe(1);
  await expect(env.run(env.client.of(Service).get(at))).rejects.toThrow("not found");
  await change(env, { suspend: false });
  const { status } = await env.eventually(
    RedisInstance,
    at,
    (instance) => instance.status?.readyReplicas === "3/3",
  );
  expect(findCondition(status?.conditions, "Suspended")).toBeUndefined();
  await env.run(env.client.of(Service).get(at));
});

it("is scaled by the subresource, and its disruption budget comes and goes with the replicas", async () => {
  await using env = await clusterWith({});
  const scale = async (replicas: number): Promise<void> => {
    await env.run(env.client.of(RedisInstance).scale.patch(at, { merge: { spec: { replicas } } }));
    await env.eventually(
      RedisInstance,
      at,
      ({ status }) => status?.readyReplicas === `${replicas}/${replicas}`,
    );
    await env.untilQuiet();
  };
  await expect(env.run(env.client.of(PodDisruptionBudget).get(at))).rejects.toThrow("not found");
  await scale(3);
  const { spec } = await env.run(env.client.of(PodDisruptionBudget).get(at));
  expect(spec).toMatchObject({ maxUnavailable: 1 });
  await scale(1);
  await env.eventuallyGone(PodDisruptionBudget, at);
});

it("keeps its three replicas when failover is insisted on and fewer are asked for", async () => {
  await using env = await clusterWith({ replicas: 3, highAvailability: true });
  await change(env, { replicas: 2 });
  await env.untilQuiet();
  const { status } = await env.run(env.client.of(RedisInstance).get(at));
  expect(status).toMatchObject({ status: "Running", readyReplicas: "3/3" });
  expect(findCondition(status?.conditions, "SpecAccepted")).toMatchObject({ status: "False" });
});

it("replaces pods for another placement, and gives them its labels", async () => {
  await using env = await clusterWith({});
  await change(env, {
    podMetadata: { labels: { team: "shop" } },
    placement: { tolerations: [{ operator: "Exists" }] },
  });
  const { spec } = await env.eventually(
    Pod,
    { ...at, name: "cache-0" },
    ({ metadata }) => metadata.labels?.["team"] === "shop",
  );
  expect(spec?.tolerations).toContainEqual({ operator: "Exists" });
  expect(spec?.topologySpreadConstraints).toMatchObject([{ whenUnsatisfiable: "ScheduleAnyway" }]);
});

it("keeps the Secret that applications bind to in step with the password", async () => {
  await using env = await clusterWith({});
  const binding = { ...at, name: "cache-binding" };
  const secretOf = (name: string): Promise<Secret> => env.run(env.client.of(Secret).get({ ...at, name }));
  const { data, type } = await secretOf("cache-binding");
  expect(type).toBe("servicebinding.io/redis");
  expect(data?.["password"]).toBe((await secretOf("cache-auth")).data?.["password"]);
  const merge = { data: { password: "b3RoZXI=", more: "" } };
  await env.run(env.client.of(Secret).patch(binding, { merge }));
  await env.eventually(Secret, binding, (secret) => secret.data?.["password"] === data?.["password"]);
  expect((await secretOf("cache-binding")).data).toEqual(data);
  await env.run(env.client.of(Secret).delete(binding));
  await env.eventually(Secret, binding, (secret) => secret.data?.["password"] === data?.["password"]);
  const { status } = await env.run(env.client.of(RedisInstance).get(at));
  expect(status?.binding).toEqual({ name: "cache-binding" });
});
