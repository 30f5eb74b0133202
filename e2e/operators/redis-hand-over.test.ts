import { findCondition } from "@kedge/machinery";
import { Event, Service } from "@kedge/machinery/kinds/core/v1";
import { RedisInstance } from "@kedge/redis-operator";
import { withDefaults } from "@kedge/schema";
import { startTestEnv, type TestEnv } from "@kedge/testkit";
import { describe, expect, it } from "vitest";
import { cache, modelOf, primaryOf, problemsOf } from "./testing/failover-scenarios.ts";
import { seededRedisOperator } from "./testing/operators.ts";
import { RedisModel } from "./testing/redis-model/redis-model.ts";

async function cluster(config: Record<string, string> = {}): Promise<TestEnv> {
  const env = await startTestEnv({
    operators: [seededRedisOperator],
    programs: (world) => new RedisModel(world),
  });
  const object = { metadata: cache, spec: { image: "redis:7.0", replicas: 3, config } };
  await env.create(RedisInstance, withDefaults(RedisInstance, object));
  await env.eventually(RedisInstance, cache, ({ status }) => status?.readyReplicas === "3/3");
  await env.advance("10s");
  return env;
}

const wish = (env: TestEnv, config: Record<string, string | null>) =>
  env.run(env.client.of(RedisInstance).patch(cache, { merge: { spec: { config } } }));

/** Lets time pass, and gives the longest time in it in which a write through the Service would have failed. */
async function longestGap(env: TestEnv, seconds: number): Promise<number> {
  const stepMs = 100;
  let [gap, longest] = [0, 0];
  for (let passed = 0; passed < seconds * 1000; passed += stepMs) {
    await env.advance(stepMs);
    const primary = await env.run(primaryOf(env));
    gap = primary?.isAlive === true && primary.whyNoWrites() === undefined ? 0 : gap + stepMs;
    longest = Math.max(longest, gap);
  }
  return longest;
}

async function aborted(env: TestEnv): Promise<readonly Event[]> {
  const { items } = await env.run(env.client.of(Event).list({ namespace: cache.namespace }).all());
  return items.filter(({ reason }) => reason === "SwitchoverAborted");
}

const statusOf = async (env: TestEnv) => (await env.run(env.client.of(RedisInstance).get(cache))).status;

describe("a primary that is to hand over, and cannot", () => {
  it("takes all writes, is not asked again and again, and says why, until it can", async () => {
    await using env = await cluster({ "replica-announce-ip": "192.0.2.7" });
    const { pod } = (await env.run(primaryOf(env))) ?? {};
    // What it begins with is read when a server starts: the primary goes last, and must hand over first.
    await wish(env, { databases: "17" });
    await env.advance("60s");
    const before = (await statusOf(env))?.replication;
    expect(await longestGap(env, 600)).toBe(0);
    const { spec } = await env.run(env.client.of(Service).get(cache));
    expect(spec?.selector?.["statefulset.kubernetes.io/pod-name"]).toBe(pod);
    const status = await statusOf(env);
    // Five seconds, then ten, twenty and so on, five minutes at most: some in ten minutes, and none took an epoch.
    const tries = (status?.replication?.givenUp?.times ?? 0) - (before?.givenUp?.times ?? 0);
    expect(tries).toBeGreaterThan(0);
    expect(tries).toBeLessThan(6);
    expect(status?.replication?.epoch).toBe(before?.epoch);
    const condition = findCondition(status?.conditions, "SwitchoverFailing");
    expect(condition).toMatchObject({ status: "True", reason: "SwitchoverGivenUp" });
    expect(condition?.message).toContain("replica-announce-ip");
    const events = await aborted(env);
    expect(events.map(({ type, count }) => [type, count])).toEqual([["Warning", 1]]);
    expect(events[0]?.message).toContain("replica-announce-ip");
    // They say where they are when they come to the primary.
    for (const server of modelOf(env).processes) {
      server.config.delete("replica-announce-ip");
      server.upstream?.link?.end();
    }
    await env.advance("10m");
    expect(await problemsOf(env, 3)).toEqual([]);
    const after = await statusOf(env);
    expect(after?.replication?.primary).not.toBe(pod);
    expect(after?.replication?.givenUp).toBeUndefined();
    expect(findCondition(after?.conditions, "SwitchoverFailing")).toBeUndefined();
  });

  it.each(["CLIENT PAUSE", "FAILOVER TO"])(
    "goes on when its successor hangs at %s, and hands over to another one later",
    async (moment) => {
      await using env = await cluster();
      let hangs: string | undefined;
      env.process(seededRedisOperator.name).onWrite = async (what) => {
        if (hangs !== undefined || !what.includes(moment)) return;
        const { status } = await env.client.of(RedisInstance).get(cache);
        hangs = status?.replication?.target;
        const target = modelOf(env).processes.find(({ pod }) => pod === hangs);
        if (target !== undefined) target.isPaused = true;
      };
      await wish(env, { databases: "17" });
      // Writes are held back while it is tried: for as long as a successor may take, and be asked whether it has.
      const gap = await longestGap(env, 120);
      expect(hangs).toBeDefined();
      expect(gap).toBeLessThan(moment === "CLIENT PAUSE" ? 2000 : 9000);
      for (const server of modelOf(env).processes) server.isPaused = false;
      await env.advance("10m");
      expect(await problemsOf(env, 3)).toEqual([]);
      expect((await statusOf(env))?.replication?.givenUp).toBeUndefined();
    },
  );
});
