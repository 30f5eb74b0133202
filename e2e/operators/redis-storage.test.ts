import { findCondition } from "@kedge/machinery";
import { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import { PersistentVolumeClaim, Pod } from "@kedge/machinery/kinds/core/v1";
import { StorageClass } from "@kedge/machinery/kinds/storage/v1";
import { RedisInstance } from "@kedge/redis-operator";
import { withDefaults } from "@kedge/schema";
import { startTestEnv, type TestEnv } from "@kedge/testkit";
import { describe, expect, it } from "vitest";
import { modelOf, primaryOf, problemsOf } from "./testing/failover-scenarios.ts";
import { seededRedisOperator } from "./testing/operators.ts";
import { RedisModel } from "./testing/redis-model/redis-model.ts";

const at = { namespace: "default", name: "cache" };
const className = "local-path";

async function clusterWith(spec: object = {}): Promise<TestEnv> {
  const env = await startTestEnv({ operators: [seededRedisOperator] });
  await env.create(RedisInstance, instance(spec));
  await env.untilQuiet();
  return env;
}

const instance = (spec: object) =>
  withDefaults(RedisInstance, { metadata: at, spec: { image: "redis:7.0", ...spec } });

const askFor = (env: TestEnv, size: string) =>
  env.run(env.client.of(RedisInstance).patch(at, { merge: { spec: { storage: { size } } } }));

const allowGrowth = (env: TestEnv, allowVolumeExpansion: boolean) =>
  env.run(env.client.of(StorageClass).patch({ name: className }, { merge: { allowVolumeExpansion } }));

async function conditionOf(env: TestEnv, type: string) {
  const { status } = await env.run(env.client.of(RedisInstance).get(at));
  return findCondition(status?.conditions, type);
}

async function sizesOf(env: TestEnv) {
  const { items } = await env.run(
    env.client.of(PersistentVolumeClaim).list({ namespace: at.namespace }).all(),
  );
  const { spec } = await env.run(env.client.of(StatefulSet).get(at));
  return {
    asked: items.map((claim) => claim.spec?.resources?.requests?.["storage"]),
    capacity: items.map((claim) => claim.status?.capacity?.["storage"]),
    template: spec.volumeClaimTemplates?.[0]?.spec?.resources?.requests?.["storage"],
  };
}

async function podsOf(env: TestEnv) {
  const { items } = await env.run(env.client.of(Pod).list({ namespace: at.namespace }).all());
  return items.map(({ metadata: { name, uid }, status }) => ({
    name,
    uid,
    containers: status?.containerStatuses?.map(({ containerID, restartCount }) => [
      containerID,
      restartCount,
    ]),
  }));
}

describe("the storage of an instance", () => {
  it("grows in place: claims, volumes and what the StatefulSet says of those to come; pods stay", async () => {
    await using env = await clusterWith({ replicas: 2 });
    const before = await podsOf(env);
    await askFor(env, "2Gi");
    await env.untilQuiet();
    expect(await sizesOf(env)).toEqual({ asked: ["2Gi", "2Gi"], capacity: ["2Gi", "2Gi"], template: "2Gi" });
    expect(await podsOf(env)).toEqual(before);
    expect(await conditionOf(env, "StorageReady")).toMatchObject({ message: "2 volumes of 2Gi." });
    expect(await conditionOf(env, "Ready")).toMatchObject({ status: "True" });
    // The pods are the new StatefulSet's: one that is lost comes back, with its volume.
    await env.run(env.client.of(Pod).delete({ ...at, name: "cache-1" }));
    await env.untilQuiet();
    expect(await podsOf(env)).toHaveLength(2);
    await env.run(env.client.of(RedisInstance).patch(at, { merge: { spec: { replicas: 3 } } }));
    await env.untilQuiet();
    expect((await sizesOf(env)).capacity).toEqual(["2Gi", "2Gi", "2Gi"]);
  });

  it("is refused to shrink, also when the StatefulSet, or the instance, is made again", async () => {
    await using env = await clusterWith({ storage: { size: "2Gi" } });
    await askFor(env, "1Gi");
    const isRefused = async (): Promise<void> => {
      await env.untilQuiet();
      const told = "spec.storage.size is 1Gi, but the volume of claim redis-data-cache-0";
      expect((await conditionOf(env, "SpecAccepted"))?.message).toContain(told);
      expect((await conditionOf(env, "StorageReady"))?.message).toContain(told);
      expect(await sizesOf(env)).toEqual({ asked: ["2Gi"], capacity: ["2Gi"], template: "2Gi" });
    };
    await isRefused();
    await env.run(env.client.of(StatefulSet).delete(at));
    await isRefused();
    await env.run(env.client.of(RedisInstance).delete(at));
    await env.eventuallyGone(RedisInstance, at);
    await env.untilQuiet();
    await env.create(RedisInstance, instance({ storage: { size: "1Gi" } }));
    await isRefused();
  });

  it("is refused to grow by a class that does not allow it, until it does", async () => {
    await using env = await clusterWith();
    await allowGrowth(env, false);
    await askFor(env, "2Gi");
    await env.untilQuiet();
    expect(await sizesOf(env)).toEqual({ asked: ["1Gi"], capacity: ["1Gi"], template: "1Gi" });
    const told = "its storage class local-path does not let volumes grow: set it back to 1Gi";
    expect((await conditionOf(env, "SpecAccepted"))?.message).toContain(told);
    await env.run(env.client.of(StatefulSet).delete(at));
    await env.untilQuiet();
    expect(await sizesOf(env)).toMatchObject({ asked: ["1Gi"], template: "1Gi" });
    await allowGrowth(env, true);
    await env.untilQuiet();
    expect(await sizesOf(env)).toEqual({ asked: ["2Gi"], capacity: ["2Gi"], template: "2Gi" });
    expect(await conditionOf(env, "SpecAccepted")).toMatchObject({ status: "True" });
  });

  it("shrinks by new volumes when that is asked for: one pod at a time, and nothing is lost", async () => {
    await using env = await startTestEnv({
      operators: [seededRedisOperator],
      programs: (world) => new RedisModel(world),
    });
    await env.create(RedisInstance, instance({ replicas: 3, storage: { size: "2Gi" } }));
    await env.eventually(RedisInstance, at, ({ status }) => status?.readyReplicas === "3/3");
    await env.untilQuiet();
    const before = await podsOf(env);
    const model = modelOf(env);
    const primary = await env.run(primaryOf(env));
    primary?.write("kept", "1");
    model.admissions.acknowledge("kept", "1");
    await env.advance("1s");
    await askFor(env, "1Gi");
    await env.untilQuiet();
    expect((await conditionOf(env, "SpecAccepted"))?.message).toContain("spec.storage.migrate");
    expect(await podsOf(env)).toEqual(before);
    await env.run(
      env.client.of(RedisInstance).patch(at, { merge: { spec: { storage: { migrate: true } } } }),
    );
    let most = 0;
    for (let step = 0; step < 600; step++) {
      await env.advance(50);
      most = Math.max(most, 3 - model.processes.length);
    }
    await env.advance("1m");
    await env.untilQuiet();
    expect(await sizesOf(env)).toEqual({
      asked: ["1Gi", "1Gi", "1Gi"],
      capacity: ["1Gi", "1Gi", "1Gi"],
      template: "1Gi",
    });
    expect(most).toBeLessThanOrEqual(1);
    const after = await podsOf(env);
    expect(after.filter(({ uid }) => before.some((pod) => pod.uid === uid))).toEqual([]);
    expect(await problemsOf(env, 3)).toEqual([]);
    expect(await conditionOf(env, "StorageReady")).toMatchObject({ message: "3 volumes of 1Gi." });
    // There is nothing left to do.
    await env.run(
      env.client.of(RedisInstance).patch(at, { merge: { spec: { storage: { migrate: null } } } }),
    );
    await env.untilQuiet();
    expect(await conditionOf(env, "SpecAccepted")).toMatchObject({ status: "True" });
    expect(await podsOf(env)).toEqual(after);
  });

  it("leaves no pod behind when the instance is deleted while its StatefulSet is made again", async () => {
    for (const deletionPolicy of ["Retain", "Delete"]) {
      await using env = await clusterWith({ replicas: 2, deletionPolicy });
      env.process("redis").kill();
      await env.run(env.client.of(StatefulSet).delete(at, { propagation: "Orphan" }));
      await env.eventuallyGone(StatefulSet, at);
      expect(await podsOf(env)).toHaveLength(2);
      await env.run(env.client.of(RedisInstance).delete(at));
      env.process("redis").start();
      await env.eventuallyGone(RedisInstance, at);
      await env.untilQuiet();
      expect(await podsOf(env)).toEqual([]);
      const { items } = await env.run(env.client.of(PersistentVolumeClaim).list().all());
      expect(items).toHaveLength(deletionPolicy === "Retain" ? 2 : 0);
    }
  });
});
