import { findCondition } from "@kedge/machinery";
import { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import { ConfigMap, Event, Pod, Secret } from "@kedge/machinery/kinds/core/v1";
import { RedisInstance } from "@kedge/redis-operator";
import { withDefaults } from "@kedge/schema";
import { startTestEnv, type TestEnv } from "@kedge/testkit";
import { describe, expect, it } from "vitest";
import { seededRedisOperator } from "./testing/operators.ts";

const at = { namespace: "default", name: "cache" };
const second = { ...at, name: "cache-1" };
const operators = [seededRedisOperator];

const instance = (spec: object = {}) =>
  withDefaults(RedisInstance, { metadata: at, spec: { image: "redis:7.0", ...spec } });

async function clusterWith(spec: object = {}): Promise<TestEnv> {
  const env = await startTestEnv({ operators });
  await env.create(RedisInstance, instance(spec));
  await env.untilQuiet();
  return env;
}

const statusOf = async (env: TestEnv) => (await env.run(env.client.of(RedisInstance).get(at))).status;

async function warningsOf(env: TestEnv): Promise<readonly string[]> {
  const { items } = await env.run(env.client.of(Event).list({ namespace: at.namespace }).all());
  return items
    .filter(({ involvedObject, type }) => involvedObject.kind === "RedisInstance" && type === "Warning")
    .map(({ reason, message }) => `${reason} ${message}`);
}

async function copiesOf(env: TestEnv): Promise<readonly string[]> {
  const { items } = await env.run(env.client.of(ConfigMap).list({ namespace: at.namespace }).all());
  return items.filter(({ immutable }) => immutable === true).map(({ metadata }) => metadata.name);
}

describe("the status of an instance", () => {
  it("says within seconds that a pod cannot be made, and why", async () => {
    await using env = await clusterWith({ image: "red is:7.0 " });
    const status = await statusOf(env);
    expect(status).toMatchObject({ status: "Pending", readyReplicas: "0/1" });
    expect(findCondition(status?.conditions, "Ready")).toMatchObject({ reason: "FailedCreate" });
    expect(status?.lastConditionMessage).toContain("must not have leading or trailing whitespace");
    expect(status?.lastConditionMessage).not.toContain("claim");
    expect((await warningsOf(env)).join("\n")).toContain("FailedCreate a pod cannot be made");
  });

  it("does not call it an update when a pod is lost", async () => {
    await using env = await clusterWith({ replicas: 2 });
    expect(await statusOf(env)).toMatchObject({ status: "Running", readyReplicas: "2/2" });
    env.node.setHealthy(second, false);
    await env.run(env.client.of(Pod).delete(second));
    await env.advance("40s");
    expect(await statusOf(env)).toMatchObject({ status: "Pending", readyReplicas: "1/2" });
    env.node.setHealthy(second, true);
    await env.eventually(RedisInstance, at, ({ status }) => status?.readyReplicas === "2/2");
    expect(await statusOf(env)).toMatchObject({ status: "Running" });
  });

  it.each([
    ["it does not see", {}],
    ["carries its label", { "redis.github.com/instance": "cache" }],
  ])("does not count pods of somebody else's StatefulSet, which %s", async (_which, own) => {
    await using env = await startTestEnv({ operators });
    const labels = { app: "redis", "redis.github.com/instance": "cache" };
    await env.create(StatefulSet, {
      metadata: { ...at, labels: own },
      spec: {
        serviceName: "theirs",
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: "a", image: "a:1" }] } },
      },
    });
    await env.eventually(StatefulSet, at, ({ status }) => status?.readyReplicas === 1);
    await env.create(RedisInstance, instance());
    await env.untilQuiet();
    expect(await statusOf(env)).toMatchObject({ status: "Failed", readyReplicas: "0/1", replicas: 0 });
  });
});

describe("the config of an instance", () => {
  it("reaches a pod only when it is replaced, and older copies go when the last pod has gone", async () => {
    await using env = await clusterWith({ replicas: 2 });
    const { client } = env;
    const [old] = await copiesOf(env);
    env.node.setHealthy(second, false);
    await env.run(client.of(RedisInstance).patch(at, { merge: { spec: { config: { maxmemory: "1gb" } } } }));
    // Not so long that the change is undone because its first pod fails.
    await env.advance("20s");
    // One pod was replaced and is not ready: the other has the old copy, and would have it again.
    const mounted = async (): Promise<readonly (string | undefined)[]> => {
      const { items } = await env.run(client.of(Pod).list({ namespace: at.namespace }).all());
      return items.map(
        ({ spec }) => spec.volumes?.find(({ name }) => name === "redis-config")?.configMap?.name,
      );
    };
    const copies = await copiesOf(env);
    expect(copies).toHaveLength(2);
    const young = copies.find((name) => name !== old);
    expect(await mounted()).toEqual([old, young]);
    env.node.setHealthy(second, true);
    await env.eventually(RedisInstance, at, ({ status }) => status?.status === "Running");
    await env.untilQuiet();
    expect(await mounted()).toEqual([young, young]);
    expect(await statusOf(env)).toMatchObject({ status: "Running", readyReplicas: "2/2" });
    expect(await copiesOf(env)).toEqual([young]);
    const shown = await env.run(client.of(ConfigMap).get(at));
    expect(shown.data?.["redis.conf"]).toContain("maxmemory 1gb");
  });

  it.each(["cache.system", "cache.password-in-use", "cache-binding"])(
    "names a Secret of somebody else that has a name of ours: %s",
    async (name) => {
      await using env = await startTestEnv({ operators });
      const metadata = { ...at, name };
      const data = { key: "c3RyYW5nZXI=", password: "c3RyYW5nZXI=" };
      await env.create(Secret, { metadata, data });
      await env.create(RedisInstance, instance());
      await env.untilQuiet();
      const status = await statusOf(env);
      expect(status).toMatchObject({ status: "Failed" });
      const said = `The Secret ${name} is not this instance's`;
      expect(findCondition(status?.conditions, "Ready")).toMatchObject({
        status: "False",
        reason: "NameTaken",
        message: expect.stringContaining(said) as string,
      });
      expect((await warningsOf(env)).join("\n")).toContain(`Failed ${said}`);
      expect((await env.run(env.client.of(Secret).get(metadata))).data).toEqual(data);
      // It goes on as soon as the name is free.
      await env.run(env.client.of(Secret).delete(metadata));
      await env.eventually(RedisInstance, at, ({ status: now }) => now?.status === "Running");
      // One that takes the place of ours while servers run is named, too, and they serve on.
      await env.run(env.client.of(Secret).delete(metadata));
      await env.run(env.client.of(Secret).create({ metadata, data }));
      await env.untilQuiet();
      const taken = await statusOf(env);
      expect(taken).toMatchObject({
        status: "Failed",
        lastConditionMessage: expect.stringContaining(said) as string,
      });
      expect(findCondition(taken?.conditions, "Available")).toMatchObject({ status: "True" });
    },
  );
});
