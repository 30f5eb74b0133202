import { findCondition } from "@kedge/machinery";
import { ControllerRevision, StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import { Event, PersistentVolumeClaim, Pod } from "@kedge/machinery/kinds/core/v1";
import { RedisInstance } from "@kedge/redis-operator";
import { withDefaults } from "@kedge/schema";
import { crashEverywhere, startTestEnv, type TestEnv } from "@kedge/testkit";
import { describe, expect, it } from "vitest";
import { seededRedisOperator } from "./testing/operators.ts";
import { RedisModel } from "./testing/redis-model/redis-model.ts";

const at = { namespace: "default", name: "cache" };
const options = {
  operators: [seededRedisOperator],
  programs: (world: ConstructorParameters<typeof RedisModel>[0]) => new RedisModel(world),
};
const broken = "redis:7.0.99";
const accept = "redis.github.com/accept-data-risk";

async function create(env: TestEnv, replicas = 3): Promise<void> {
  env.node.setPullable(broken, false);
  const spec = { image: "redis:7.0", replicas };
  await env.create(RedisInstance, withDefaults(RedisInstance, { metadata: at, spec }));
  await env.eventually(RedisInstance, at, ({ status }) => status?.status === "Running");
  await env.untilQuiet();
}

const change = (env: TestEnv, spec: object) =>
  env.run(env.client.of(RedisInstance).patch(at, { merge: { spec } }));

async function imagesOf(env: TestEnv): Promise<readonly (string | undefined)[]> {
  const { items } = await env.run(env.client.of(Pod).list({ namespace: at.namespace }).all());
  return items.map(({ spec }) => spec?.containers[0]?.image);
}

async function templateOf(env: TestEnv) {
  const { spec } = await env.run(env.client.of(StatefulSet).get(at));
  return spec.template;
}

async function uidsOf(env: TestEnv): Promise<readonly string[]> {
  const { items } = await env.run(env.client.of(Pod).list({ namespace: at.namespace }).all());
  return items.map(({ metadata }) => metadata.uid);
}

describe("a template whose first pod fails", () => {
  it.each([1, 3])(
    "is undone, of %i, said with the reason, and not tried again until it is another",
    async (replicas) => {
      await using env = await startTestEnv(options);
      await create(env, replicas);
      const before = await uidsOf(env);
      await change(env, { image: broken });
      await env.advance("10m");
      expect(await imagesOf(env)).toEqual(Array.from({ length: replicas }, () => "redis:7.0"));
      const after = await uidsOf(env);
      // One pod was tried, the others never were touched.
      expect(after.filter((uid) => !before.includes(uid))).toHaveLength(1);
      const { status } = await env.run(env.client.of(RedisInstance).get(at));
      expect(status).toMatchObject({ status: "Running", readyReplicas: `${replicas}/${replicas}` });
      expect(findCondition(status?.conditions, "SpecAccepted")).toMatchObject({
        status: "False",
        message: expect.stringContaining(broken) as string,
      });
      const { items } = await env.run(env.client.of(Event).list({ namespace: at.namespace }).all());
      const told = items.filter(
        ({ reason, message }) => reason === "SpecRefused" && message?.includes(broken),
      );
      expect(told.map(({ type }) => type)).toEqual(["Warning"]);
      await env.advance("1h");
      expect(await uidsOf(env)).toEqual(after);
      await change(env, { image: "redis:7.0", config: { databases: "17" } });
      await env.advance("5m");
      const now = await env.run(env.client.of(RedisInstance).get(at));
      expect(findCondition(now.status?.conditions, "SpecAccepted")?.status).toBe("True");
      expect(now.status?.status).toBe("Running");
      expect((await uidsOf(env)).filter((uid) => after.includes(uid))).toEqual([]);
    },
  );

  it("is undone, too, when the operator is killed before, at and after each of its writes", async () => {
    const { failures } = await crashEverywhere({
      options,
      process: seededRedisOperator.name,
      prepare: create,
      async act(env) {
        env.node.setPullable(broken, false);
        await change(env, { image: broken });
        await env.advance("10m");
      },
      async check(env) {
        const images = await imagesOf(env);
        return images.every((image) => image === "redis:7.0") ? [] : [`pods have ${images.join(", ")}`];
      },
      same: ({ objects }) => Object.keys(objects).filter((name) => !name.startsWith("Endpoint")),
      choose: (all) => all.filter((_point, index) => index % 5 === 1),
    });
    expect(failures).toEqual([]);
  }, 600_000);

  it("leaves nothing behind that could not be taken out again", async () => {
    await using env = await startTestEnv(options);
    await create(env, 2);
    await change(env, {
      podMetadata: { annotations: { team: "shop" } },
      resources: { requests: { cpu: "10m" } },
    });
    await env.untilQuiet();
    const before = await templateOf(env);
    await change(env, { image: broken, podMetadata: null, resources: null });
    await env.advance("10m");
    expect(await templateOf(env)).toEqual(before);
    await change(env, { image: "redis:7.0" });
    await env.advance("5m");
    const after = await templateOf(env);
    expect(after.metadata?.annotations).not.toHaveProperty("team");
    expect(after.spec?.containers?.[0]?.resources ?? {}).toEqual({});
    const { status } = await env.run(env.client.of(RedisInstance).get(at));
    expect(status?.status).toBe("Running");
  });

  it("is left there when its server may have written what the one before could not read", async () => {
    await using env = await startTestEnv(options);
    await create(env);
    const before = await uidsOf(env);
    await change(env, { image: "redis:8.0" });
    const crashing = async (seconds: number): Promise<void> => {
      for (let time = 0; time < seconds * 10; time++) {
        await env.advance(100);
        const { items } = await env.run(env.client.of(Pod).list({ namespace: at.namespace }).all());
        const tried = items.find(({ spec }) => spec?.containers[0]?.image === "redis:8.0");
        const isRunning = tried?.status?.containerStatuses?.some(({ state }) => state?.running !== undefined);
        if (tried !== undefined && isRunning === true)
          env.node.crash({ ...at, name: tried.metadata.name }, { exitCode: 1 });
      }
    };
    await crashing(60);
    const told = async () =>
      findCondition((await env.run(env.client.of(RedisInstance).get(at))).status?.conditions, "SpecAccepted")
        ?.message ?? "";
    expect(await told()).toMatch(/cannot read what Redis 8\.0 writes/u);
    expect(await imagesOf(env)).toEqual(["redis:7.0", "redis:7.0", "redis:8.0"]);
    expect((await uidsOf(env)).filter((uid) => before.includes(uid))).toHaveLength(2);
    // Nor when somebody asks for it.
    await change(env, { image: "redis:7.0" });
    await crashing(20);
    expect(await told()).toMatch(/is redis:7\.0, but the data of claim redis-data-cache-2 may have been/u);
    // Until its copy is given up.
    await env.run(env.client.of(PersistentVolumeClaim).delete({ ...at, name: "redis-data-cache-2" }));
    await env.advance("5m");
    expect(await imagesOf(env)).toEqual(["redis:7.0", "redis:7.0", "redis:7.0"]);
    const { status } = await env.run(env.client.of(RedisInstance).get(at));
    expect(status).toMatchObject({ status: "Running", readyReplicas: "3/3" });
  });

  it("is left there, and that is told, when the revision of the one before is gone", async () => {
    await using env = await startTestEnv(options);
    await create(env, 2);
    const { metadata } = await env.run(env.client.of(StatefulSet).get(at));
    const [revision = ""] = metadata.annotations?.["redis.github.com/good-template"]?.split(" ") ?? [];
    await change(env, { image: broken });
    await env.eventually(StatefulSet, at, ({ status }) => status?.updateRevision !== revision);
    await env.run(env.client.of(ControllerRevision).delete({ ...at, name: revision }));
    await env.advance("2m");
    const { status } = await env.run(env.client.of(RedisInstance).get(at));
    expect(findCondition(status?.conditions, "SpecAccepted")).toMatchObject({
      status: "False",
      message: expect.stringContaining("its ControllerRevision is gone") as string,
    });
    const { items } = await env.run(env.client.of(Event).list({ namespace: at.namespace }).all());
    expect(items.filter(({ message }) => message?.includes("ControllerRevision is gone"))).toHaveLength(1);
    expect(await imagesOf(env)).toEqual(["redis:7.0", broken]);
    await change(env, { image: "redis:7.0" });
    await env.advance("5m");
    const now = await env.run(env.client.of(RedisInstance).get(at));
    expect(now.status).toMatchObject({ status: "Running", readyReplicas: "2/2" });
    expect(findCondition(now.status?.conditions, "SpecAccepted")?.status).toBe("True");
  });

  it("of the only server is given its former image when the user accepts the risk, once", async () => {
    await using env = await startTestEnv(options);
    await create(env, 1);
    await change(env, { image: "redis:8.0" });
    const only = { ...at, name: "cache-0" };
    await env.eventually(Pod, only, ({ spec }) => spec?.containers[0]?.image === "redis:8.0");
    env.node.setHealthy(only, false);
    await env.advance("20s");
    await change(env, { image: "redis:7.0" });
    await env.advance("1m");
    expect(await imagesOf(env)).toEqual(["redis:8.0"]);
    const told = async () =>
      findCondition((await env.run(env.client.of(RedisInstance).get(at))).status?.conditions, "SpecAccepted")
        ?.message ?? "";
    expect(await told()).toContain(`${accept}=redis:7.0`);
    const merge = { metadata: { annotations: { [accept]: "redis:7.0" } } };
    await env.run(env.client.of(RedisInstance).patch(at, { merge }));
    await env.eventually(Pod, only, ({ spec }) => spec?.containers[0]?.image === "redis:7.0");
    env.node.setHealthy(only, true);
    await env.advance("5m");
    const { metadata, status } = await env.run(env.client.of(RedisInstance).get(at));
    expect(status).toMatchObject({ status: "Running", readyReplicas: "1/1" });
    expect(metadata.annotations?.[accept]).toBeUndefined();
    const claim = await env.run(
      env.client.of(PersistentVolumeClaim).get({ ...at, name: "redis-data-cache-0" }),
    );
    expect(claim.metadata.annotations?.["redis.github.com/touched-by-image"]).toBeUndefined();
  });

  it("that was good stays when a pod fails later", async () => {
    await using env = await startTestEnv(options);
    await create(env, 1);
    await change(env, { config: { databases: "17" } });
    await env.untilQuiet();
    for (let time = 0; time < 6; time++) {
      env.node.crash({ ...at, name: "cache-0" }, { exitCode: 1 });
      await env.advance("5s");
    }
    await env.advance("20m");
    const { status } = await env.run(env.client.of(RedisInstance).get(at));
    expect(findCondition(status?.conditions, "SpecAccepted")?.status).toBe("True");
    expect(status?.status).toBe("Running");
  });
});
