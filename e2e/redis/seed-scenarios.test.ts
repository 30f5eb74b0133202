import { inBackground } from "@kedge/machinery";
import { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import { RedisInstance } from "@kedge/redis-operator";
import { beforeAll, describe, expect, it } from "vitest";
import { applyFile } from "../cluster/testing/apply-file.ts";
import { redis } from "../cluster/testing/redis.ts";
import { upCluster, type TestCluster } from "../cluster/testing/up-cluster.ts";
import { whyNoContainers } from "../node/needs.ts";
import { needs } from "../testing/needs.ts";
import { isWhole } from "./subjects/redis-instance.ts";
import { until } from "./testing/until.ts";

const at = { namespace: "default", name: "sample" };
const everyMs = 200;

// The tests follow each other: each goes on with the instance as the one before has left it.
describe("the sample through the three scenarios that it came with", needs(whyNoContainers()), () => {
  let cluster: TestCluster;
  /** What the instance's status was, one after the other, as somebody sees it who watches it all the time. */
  const phases: string[] = [];

  beforeAll(async () => {
    cluster = await upCluster({ flags: ["--no-sample"] });
    await applyFile(cluster.client, "config/samples/redis_v1_redisinstance.yaml");
    const stopping = new AbortController();
    const watch = async (): Promise<void> => {
      const events = cluster.client
        .of(RedisInstance)
        .watch({ namespace: at.namespace, sendInitialEvents: true, signal: stopping.signal });
      for await (const event of events) {
        const phase = event.type === "MODIFIED" ? event.object.status?.status : undefined;
        if (phase !== undefined && phase !== phases.at(-1)) phases.push(phase);
      }
    };
    await settled();
    inBackground(watch(), () => undefined);
    return async () => {
      stopping.abort();
      await cluster[Symbol.asyncDispose]();
    };
  });

  const settled = async (): Promise<void> => {
    await until(
      "the instance is as wanted",
      async () => {
        const instance = await cluster.client.of(RedisInstance).get(at);
        const { observedGeneration, conditions = [] } = instance.status ?? {};
        const isBusy = conditions.some(({ type, status }) => type === "Progressing" && status !== "False");
        return isWhole(instance) && !isBusy && observedGeneration === instance.metadata.generation;
      },
      { everyMs },
    );
  };

  const change = async (spec: object): Promise<void> => {
    await cluster.client.of(RedisInstance).patch(at, { merge: { spec } });
    await settled();
  };

  const pods = async (): Promise<readonly Pod[]> => {
    const labelSelector = "redis.github.com/instance=sample";
    return (await cluster.client.of(Pod).list({ namespace: at.namespace, labelSelector }).all()).items;
  };
  const uids = async (): Promise<readonly string[]> => (await pods()).map(({ metadata }) => metadata.uid);
  const setUid = async (): Promise<string> => (await cluster.client.of(StatefulSet).get(at)).metadata.uid;
  const primary = async (): Promise<string> =>
    (await cluster.client.of(RedisInstance).get(at)).status?.replication?.primary ?? "";

  it("is updated in place: replicas, image and resources", async () => {
    expect(await redis(cluster, "sample-0", "set", "greeting", "hello")).toBe("OK");
    const set = await setUid();
    const [first] = await uids();
    await change({ replicas: 3 });
    expect(await uids()).toHaveLength(3);
    expect(await uids()).toContain(first);
    for (const spec of [{ image: "redis:8.0" }, { resources: { requests: { cpu: "20m" } } }]) {
      const before = await uids();
      await change(spec);
      for (const uid of await uids()) expect(before).not.toContain(uid);
      expect(await redis(cluster, await primary(), "get", "greeting")).toBe("hello");
    }
    const [{ spec } = {}] = await pods();
    expect(spec?.containers[0]?.image).toBe("redis:8.0");
    expect(spec?.containers[0]?.resources?.requests?.["cpu"]).toBe("20m");
    expect(await setUid()).toBe(set);
  });

  it("gets its servers and its StatefulSet anew for what cannot be changed in them", async () => {
    const [before, set] = [await uids(), await setUid()];
    await change({ config: { databases: "17" } });
    for (const uid of await uids()) expect(before).not.toContain(uid);
    for (const { metadata } of await pods())
      expect(await redis(cluster, metadata.name, "config", "get", "databases")).toContain("17");
    const rolled = await uids();
    // Pods and claims stay while it is made again.
    await change({ storage: { size: "2Gi" } });
    await until("the StatefulSet is another one", async () => (await setUid()) !== set, { everyMs });
    await settled();
    expect(await uids()).toEqual(rolled);
    expect(await redis(cluster, await primary(), "get", "greeting")).toBe("hello");
  });

  it("says Updating while it is updated, and Running when that is done", async () => {
    await until("it was seen to be Running last", () => phases.at(-1) === "Running");
    phases.length = 0;
    phases.push("Running");
    await change({ config: { databases: "18" } });
    await until("it is seen to be Running", () => phases.length > 1 && phases.at(-1) === "Running");
    expect(phases).toEqual(["Running", "Updating", "Running"]);
    expect((await cluster.client.of(RedisInstance).get(at)).status).toMatchObject({
      status: "Running",
      readyReplicas: "3/3",
    });
  });
});
