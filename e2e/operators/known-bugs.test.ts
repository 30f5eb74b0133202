import { findCondition } from "@kedge/machinery";
import { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import { PersistentVolumeClaim, Pod, Secret, Service } from "@kedge/machinery/kinds/core/v1";
import { RedisInstance } from "@kedge/redis-operator";
import { withDefaults } from "@kedge/schema";
import { startTestEnv, type TestEnv } from "@kedge/testkit";
import { describe, expect, it } from "vitest";
import { cache, modelOf, primaryOf, problemsOf, writeAlways } from "./testing/failover-scenarios.ts";
import { seededRedisOperator } from "./testing/operators.ts";
import type { ModelProcess } from "./testing/redis-model/model-process.ts";
import { RedisModel } from "./testing/redis-model/redis-model.ts";

const podNamed = (name: string) => ({ ...cache, name });

async function cluster(spec: object = {}): Promise<TestEnv> {
  const env = await startTestEnv({
    operators: [seededRedisOperator],
    programs: (world) => new RedisModel(world),
  });
  const object = { metadata: cache, spec: { image: "redis:7.0", replicas: 3, ...spec } };
  await env.create(RedisInstance, withDefaults(RedisInstance, object));
  await env.eventually(RedisInstance, cache, isWhole);
  await env.advance("10s");
  return env;
}

function isWhole({ spec, status }: RedisInstance): boolean {
  return status?.status === "Running" && status.readyReplicas === `${spec.replicas}/${spec.replicas}`;
}

const change = (env: TestEnv, spec: object): Promise<RedisInstance> =>
  env.run(env.client.of(RedisInstance).patch(cache, { merge: { spec } }));

async function primary(env: TestEnv): Promise<ModelProcess> {
  const found = await env.run(primaryOf(env));
  if (found === undefined) throw new Error("the Service leads to no server");
  return found;
}

/** Writes to the primary, and waits until all replicas have it. */
async function write(env: TestEnv, key: string): Promise<void> {
  (await primary(env)).write(key, "1");
  modelOf(env).admissions.acknowledge(key, "1");
  await env.advance(100);
}

/** What is wrong when all should be well again: nothing is lost, and all follow one primary, which the Service leads to. */
async function problems(env: TestEnv, count = 3): Promise<readonly string[]> {
  await env.eventually(RedisInstance, cache, isWhole);
  await env.advance("20s");
  return await problemsOf(env, count);
}

const uids = async (env: TestEnv): Promise<readonly string[]> => {
  const { items } = await env.run(env.client.of(Pod).list({ namespace: cache.namespace }).all());
  return items.map(({ metadata }) => metadata.uid).toSorted();
};

describe("what went wrong in other operators, with the number of its thread", () => {
  it("kubeblocks #10753, spotahome #97: a primary comes back without its data before anybody noticed", async () => {
    await using env = await cluster();
    await write(env, "precious");
    const head = await primary(env);
    // When it looks again, there is a server which has never heard of anything.
    env.process("redis").kill();
    modelOf(env).loseDisk(podNamed(head.pod));
    env.node.crash(podNamed(head.pod), { exitCode: 137 });
    expect(await problems(env)).toEqual([]);
  });

  it("kubeblocks #10753: pod and claim are deleted, and come back empty", async () => {
    await using env = await cluster();
    await write(env, "precious");
    const head = await primary(env);
    const claim = { ...cache, name: `redis-data-${head.pod}` };
    env.process("redis").kill();
    await env.run(env.client.of(PersistentVolumeClaim).delete(claim));
    await env.run(env.client.of(Pod).delete(podNamed(head.pod), { gracePeriodSeconds: 0 }));
    await env.advance("60s");
    expect(await problems(env)).toEqual([]);
  });

  it("OT #513: the operator is away during a failover, and keeps the newer primary when it is back", async () => {
    await using env = await cluster();
    await write(env, "before");
    const head = await primary(env);
    head.isPaused = true;
    await env.eventually(
      Service,
      cache,
      ({ spec }) => spec?.selector?.["statefulset.kubernetes.io/pod-name"] !== head.pod,
    );
    env.process("redis").kill();
    await env.advance("5s");
    await write(env, "after");
    head.isPaused = false;
    expect(await problems(env)).toEqual([]);
  });

  it("OT #1158: an old primary comes back with other data, and the new data is kept", async () => {
    await using env = await cluster();
    await write(env, "before");
    const head = await primary(env);
    for (const other of modelOf(env).processes)
      if (other !== head) modelOf(env).cut(head.options.key, other.options.key);
    modelOf(env).cut("operator", head.options.key);
    await env.advance("30s");
    expect((await primary(env)).pod).not.toBe(head.pod);
    // Nobody has it but the old primary, whom nobody hears.
    if (head.isAlive) head.write("lonely", "1");
    await write(env, "after");
    modelOf(env).heal();
    expect(await problems(env)).toEqual([]);
    expect(modelOf(env).processes.some(({ data }) => data.has("lonely"))).toBe(false);
  });

  it("OT #1164: all servers are restarted together", async () => {
    await using env = await cluster();
    await write(env, "precious");
    for (const { pod } of modelOf(env).processes) env.node.crash(podNamed(pod), { exitCode: 137 });
    await env.advance("60s");
    expect(await problems(env)).toEqual([]);
  });

  it("OT #1164: all are restarted together while the operator is away", async () => {
    await using env = await cluster();
    await write(env, "precious");
    for (let times = 0; times < 20; times++) {
      env.process("redis").kill();
      if (times === 0)
        for (const { pod } of modelOf(env).processes) env.node.crash(podNamed(pod), { exitCode: 137 });
      await env.advance(990);
    }
    await env.advance("60s");
    expect(await problems(env)).toEqual([]);
  });

  it("OT #1217: labels and the Service follow a failover", async () => {
    await using env = await cluster();
    const head = await primary(env);
    head.isPaused = true;
    await env.advance("60s");
    const now = await primary(env);
    expect(now.pod).not.toBe(head.pod);
    const { items } = await env.run(env.client.of(Pod).list({ namespace: cache.namespace }).all());
    const roles = items.map(({ metadata }) => [metadata.name, metadata.labels?.["redis.github.com/role"]]);
    expect(Object.fromEntries(roles)).toEqual(
      Object.fromEntries(
        ["cache-0", "cache-1", "cache-2"].map((name) => [name, name === now.pod ? "primary" : "replica"]),
      ),
    );
    expect(await problems(env)).toEqual([]);
  });

  it("OT #1883, #1314: nobody is without a primary for long, whoever restarts", async () => {
    await using env = await cluster();
    using _client = writeAlways(env);
    for (const name of ["cache-2", "cache-0", "cache-1"]) {
      env.node.crash(podNamed(name), { exitCode: 1 });
      env.process("redis").kill();
      await env.advance("30s");
    }
    expect(await problems(env)).toEqual([]);
  });

  it("spotahome #269: a change of the pods takes at most one away at a time", async () => {
    await using env = await cluster();
    let fewest = 3;
    const count = (): void => {
      fewest = Math.min(fewest, modelOf(env).processes.length);
    };
    env.process("controllers").onWrite = count;
    env.process("node").onWrite = count;
    const before = await uids(env);
    await change(env, { config: { databases: "17" } });
    await env.advance("5m");
    expect((await uids(env)).filter((uid) => before.includes(uid))).toEqual([]);
    expect(fewest).toBe(2);
    expect(await problems(env)).toEqual([]);
  });

  it("spotahome #300: a label of the instance restarts nothing", async () => {
    await using env = await cluster();
    const before = await uids(env);
    const metadata = { labels: { team: "red" }, annotations: { note: "blue" } };
    await env.run(env.client.of(RedisInstance).patch(cache, { merge: { metadata } }));
    await env.advance("2m");
    expect(await uids(env)).toEqual(before);
  });

  it("spotahome #552, OT #480: an impossible placement takes no server away, and is healed by taking it back", async () => {
    await using env = await cluster();
    await write(env, "precious");
    await change(env, { placement: { nodeSelector: { disk: "none-such" } } });
    await env.advance("5m");
    expect(modelOf(env).processes.length).toBeGreaterThanOrEqual(2);
    await env.run(env.client.of(RedisInstance).patch(cache, { merge: { spec: { placement: null } } }));
    await env.advance("5m");
    expect(await problems(env)).toEqual([]);
  });

  it.each([
    ["OT #283", { resources: null }],
    ["OT #290", { resources: { requests: { "example.com/unheard-of": "1" } } }],
    ["OT #290", { resources: { requests: { memory: "0.5Gi", cpu: "1e-1" } } }],
    ["OT #99 #105 #155 #162 #175 #394", { resources: {}, config: {}, placement: {}, podMetadata: {} }],
    ["OT #1563", { config: null, placement: null, podMetadata: null }],
  ])("%s: a block that is empty or odd ends no operator: %j", async (_thread, spec) => {
    await using env = await cluster({ replicas: 2 });
    await write(env, "precious");
    await env.run(
      env.client
        .of(RedisInstance)
        .patch(cache, { merge: { spec } })
        .catch((error: unknown) => error),
    );
    await env.advance("2m");
    expect(env.process("redis").lives).toBe(1);
    await env.run(env.client.of(RedisInstance).patch(cache, { merge: { spec: { resources: null } } }));
    await env.advance("5m");
    expect(await problems(env, 2)).toEqual([]);
  });

  it("OT #286: a Secret without the key of the password is said, and healed when it has one", async () => {
    await using env = await cluster();
    const before = await uids(env);
    const secret = { ...cache, name: "cache-auth" };
    await env.run(env.client.of(Secret).patch(secret, { merge: { data: null } }));
    await env.advance("1m");
    const { status } = await env.run(env.client.of(RedisInstance).get(cache));
    expect(JSON.stringify(status?.conditions)).toContain("password");
    expect(await uids(env)).toEqual(before);
    expect(env.process("redis").lives).toBe(1);
    await env.run(env.client.of(Secret).delete(secret));
    await env.advance("1m");
    expect(await problems(env)).toEqual([]);
  });

  it("helm/charts #2780: a failover takes seconds, not minutes", async () => {
    await using env = await cluster();
    const head = await primary(env);
    const began = env.clock.monotonic();
    head.isPaused = true;
    await env.eventually(
      Service,
      cache,
      ({ spec }) => spec?.selector?.["statefulset.kubernetes.io/pod-name"] !== head.pod,
    );
    expect(env.clock.monotonic() - began).toBeLessThan(5000);
    expect(await problems(env)).toEqual([]);
  });

  it("the StatefulSet is deleted: it is made again, and nothing is lost", async () => {
    await using env = await cluster();
    await write(env, "precious");
    await env.run(env.client.of(StatefulSet).delete(cache));
    await env.advance("2m");
    expect(await problems(env)).toEqual([]);
    const { status } = await env.run(env.client.of(RedisInstance).get(cache));
    expect(findCondition(status?.conditions, "Ready")?.status).toBe("True");
  });
});
