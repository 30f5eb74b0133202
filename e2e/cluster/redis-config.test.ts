import { findCondition } from "@kedge/machinery";
import { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import { RedisInstance } from "@kedge/redis-operator";
import { beforeAll, describe, expect, it } from "vitest";
import { whyNoContainers } from "../node/needs.ts";
import { needs } from "../testing/needs.ts";
import { redis } from "./testing/redis.ts";
import { upCluster, type TestCluster } from "./testing/up-cluster.ts";

const at = { namespace: "default", name: "live" };
const pods = ["live-0", "live-1"];
const patience = { interval: 200 };

describe("the config of a RedisInstance", needs(whyNoContainers()), () => {
  let cluster: TestCluster;

  beforeAll(async () => {
    cluster = await upCluster({ flags: ["--no-sample"] });
    await wish({ hz: "10" });
    return () => cluster[Symbol.asyncDispose]();
  });

  const wish = async (config: Record<string, string>, size = "100Mi") => {
    const spec = { image: "redis:7.0", replicas: 2, storage: { size }, config };
    const wanted = await cluster.client
      .of(RedisInstance)
      .apply({ metadata: at, spec }, { fieldManager: "e2e", force: true });
    return wanted.metadata.generation;
  };

  const condition = async (type: string) => {
    const { status } = await cluster.client.of(RedisInstance).get(at);
    return findCondition(status?.conditions, type);
  };

  const applied = async (generation: number | undefined): Promise<void> => {
    await expect
      .poll(() => condition("ConfigApplied"), patience)
      .toMatchObject({ status: "True", observedGeneration: generation });
  };

  const valueOf = async (pod: string, name: string): Promise<string> =>
    (await redis(cluster, pod, "config", "get", name)).split("\n").slice(1).join(" ").trim();

  const runIds = () =>
    Promise.all(
      pods.map(async (pod) => /run_id:\w+/u.exec(await redis(cluster, pod, "info", "server"))?.[0] ?? ""),
    );

  it("is changed in servers that run, and a server that is started again has it", async () => {
    await expect.poll(() => condition("Ready"), patience).toMatchObject({ status: "True" });
    const before = await runIds();
    await applied(await wish({ hz: "50", maxmemory: "50mb", save: "900 1" }));
    for (const pod of pods) {
      expect(await valueOf(pod, "hz")).toBe("50");
      expect(await valueOf(pod, "maxmemory")).toBe("52428800");
      expect(await valueOf(pod, "save")).toBe("900 1");
    }
    expect(await runIds()).toEqual(before);
    // Only the process ends: the pod stays.
    await redis(cluster, "live-1", "shutdown", "nosave").catch(() => "");
    await expect.poll(async () => (await runIds()).includes(before[1] ?? ""), patience).toBe(false);
    await expect.poll(() => valueOf("live-1", "hz"), patience).toBe("50");
    await applied(await wish({ hz: "50" }));
    for (const pod of pods) {
      expect(await valueOf(pod, "maxmemory")).toBe("0");
      expect(await valueOf(pod, "save")).toBe("3600 1 300 100 60 10000");
    }
    expect((await runIds())[0]).toBe(before[0]);
  });

  it("is refused in the server's own words when only that can know, and nothing changes", async () => {
    const before = await runIds();
    await wish({ hz: "60", save: "900 often" });
    await expect
      .poll(async () => (await condition("ConfigApplied"))?.message, patience)
      .toContain("Invalid save parameters");
    expect(await valueOf("live-0", "hz")).toBe("50");
    await applied(await wish({ hz: "50" }));
    expect(await runIds()).toEqual(before);
  });

  it("replaces pods for what only a start reads", async () => {
    const before = await runIds();
    await applied(await wish({ hz: "50", databases: "32" }));
    await expect.poll(() => condition("Ready"), patience).toMatchObject({ status: "True" });
    for (const pod of pods) expect(await valueOf(pod, "databases")).toBe("32");
    for (const id of await runIds()) expect(before).not.toContain(id);
    expect(await valueOf("live-0", "hz")).toBe("50");
  });

  it("stays in its process while volumes grow and the StatefulSet is made again", async () => {
    const before = await runIds();
    const set = () => cluster.client.of(StatefulSet).get(at);
    const { uid } = (await set()).metadata;
    await wish({ hz: "50", databases: "32" }, "200Mi");
    await expect
      .poll(async () => (await condition("StorageReady"))?.message, patience)
      .toBe("2 volumes of 200Mi.");
    await expect
      .poll(async () => (await set().catch(() => undefined))?.status?.readyReplicas, patience)
      .toBe(2);
    expect((await set()).metadata.uid).not.toBe(uid);
    expect(await runIds()).toEqual(before);
  });
});
