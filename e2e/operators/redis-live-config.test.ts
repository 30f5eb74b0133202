import { findCondition, seededRandom } from "@kedge/machinery";
import { ConfigMap, Pod } from "@kedge/machinery/kinds/core/v1";
import { RedisInstance, redisOperator } from "@kedge/redis-operator";
import { withDefaults } from "@kedge/schema";
import { crashEverywhere, startTestEnv, type TestEnv, type TestOperator } from "@kedge/testkit";
import { describe, expect, it } from "vitest";
import { RedisModel } from "./testing/redis-model/redis-model.ts";

const at = { namespace: "default", name: "cache" };

/** The operator, with servers of the model. */
const operator: TestOperator = {
  ...redisOperator(),
  controllers: (life) => {
    const { programs: model } = life;
    if (!(model instanceof RedisModel)) throw new Error("there is no model");
    const secretRandom = seededRandom(`secrets ${life.number}`);
    return redisOperator({ secretRandom, engine: () => model.engineFor(life) }).controllers();
  },
};

const options = {
  operators: [operator],
  programs: (world: ConstructorParameters<typeof RedisModel>[0]) => new RedisModel(world),
};

async function create(env: TestEnv): Promise<void> {
  const spec = { image: "redis:7.0", replicas: 2, config: { hz: "10" } };
  await env.create(RedisInstance, withDefaults(RedisInstance, { metadata: at, spec }));
  await env.untilQuiet();
}

const wish = (env: TestEnv, config: Record<string, string>) =>
  env.run(env.client.of(RedisInstance).patch(at, { merge: { spec: { config } } }));

const valuesOf = ({ programs }: TestEnv, name: string) =>
  programs instanceof RedisModel ? programs.processes.map(({ config }) => config.get(name)) : [];

async function podsOf(env: TestEnv): Promise<readonly string[]> {
  const { items } = await env.run(env.client.of(Pod).list({ namespace: at.namespace }).all());
  return items.map(
    ({ metadata, status }) => `${metadata.uid} ${status?.containerStatuses?.[0]?.restartCount}`,
  );
}

describe("a config that servers can change while they run", () => {
  it("is set in all of them, kept for those that start, and replaces no pod", async () => {
    await using env = await startTestEnv(options);
    await create(env);
    const before = await podsOf(env);
    await wish(env, { hz: "50" });
    await env.untilQuiet();
    expect(valuesOf(env, "hz")).toEqual(["50", "50"]);
    expect(await podsOf(env)).toEqual(before);
    const { data } = await env.run(env.client.of(ConfigMap).get({ ...at, name: "cache.peers" }));
    expect(Object.values(data ?? {})).toContain('hz "50"\n');
    const { status } = await env.run(env.client.of(RedisInstance).get(at));
    expect(findCondition(status?.conditions, "ConfigApplied")).toMatchObject({ status: "True" });
  });

  it("comes to the same end when the operator is killed before, at and after each of its writes", async () => {
    const { writes, failures } = await crashEverywhere({
      options,
      process: operator.name,
      prepare: create,
      act: async (env) => {
        await wish(env, { hz: "50" });
        await env.untilQuiet();
        expect(valuesOf(env, "hz")).toEqual(["50", "50"]);
      },
    });
    expect(writes.join("\n")).toContain("CONFIG");
    expect(failures).toEqual([]);
  });
});
