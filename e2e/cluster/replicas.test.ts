import { isNotFound } from "@kedge/machinery";
import { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import { ConfigMap, PersistentVolumeClaim, Pod, Secret, Service } from "@kedge/machinery/kinds/core/v1";
import { RedisInstance } from "@kedge/redis-operator";
import { beforeAll, describe, expect, it } from "vitest";
import { whyNoContainers } from "../node/needs.ts";
import { askRedis, type RedisAddress } from "./testing/redis-connection.ts";
import { redis, replication } from "./testing/redis.ts";
import { upCluster, type TestCluster } from "./testing/up-cluster.ts";
import { needs } from "../testing/needs.ts";

const key = { namespace: "default", name: "trio" };
const pods = ["trio-0", "trio-1", "trio-2"];
const patience = { interval: 200 };

// The tests follow each other: each goes on with the instance as the one before has left it.
describe("a RedisInstance with three replicas", needs(whyNoContainers()), () => {
  let cluster: TestCluster;

  beforeAll(async () => {
    cluster = await upCluster({ flags: ["--no-sample"] });
    return () => cluster[Symbol.asyncDispose]();
  });

  it("becomes Running", async () => {
    const trio = { metadata: key, spec: { image: "redis:7.0", replicas: 3, storage: { size: "100Mi" } } };
    await cluster.client.of(RedisInstance).apply(trio, { fieldManager: "e2e" });
    await expect
      .poll(async () => (await cluster.client.of(RedisInstance).get(key)).status, patience)
      .toMatchObject({ status: "Running", readyReplicas: "3/3" });
  });

  it("has one primary, which two replicas follow", async () => {
    await expect
      .poll(() => replication(cluster, "trio-0"), patience)
      .toMatchObject({ role: "master", connected_slaves: "2" });
    for (const pod of ["trio-1", "trio-2"]) {
      await expect
        .poll(() => replication(cluster, pod), patience)
        .toMatchObject({ role: "slave", master_link_status: "up" });
    }
  });

  it("has a key from the primary on both replicas, which take no writes", async () => {
    expect(await redis(cluster, "trio-0", "set", "greeting", "hello")).toBe("OK");
    for (const pod of ["trio-1", "trio-2"]) {
      await expect.poll(() => redis(cluster, pod, "get", "greeting"), patience).toBe("hello");
      expect(await redis(cluster, pod, "set", "greeting", "other")).toMatch(/^READONLY/u);
    }
  });

  it("is reached at its primary alone through the Service", async () => {
    const address = await addressOf(cluster);
    const roles = await Promise.all(Array.from({ length: 12 }, () => askRedis(address, "INFO replication")));
    expect(roles.map((text) => /role:\w+/u.exec(text)?.[0] ?? text)).toEqual(roles.map(() => "role:master"));
  });

  it("can be found by name from a pod", async () => {
    for (const pod of pods) {
      const name = `${pod}.trio-headless.default.svc.cluster.local`;
      expect(await redis(cluster, "trio-1", "-h", name, "ping")).toBe("PONG");
    }
    for (const name of ["trio", "trio-headless", "trio.default", "trio.default.svc.cluster.local"]) {
      expect(await redis(cluster, "trio-2", "-h", name, "ping")).toBe("PONG");
    }
    expect(await redis(cluster, "trio-2", "-h", "nobody", "ping")).toMatch(
      /Could not connect to Redis at nobody/u,
    );
  });

  it.each(["trio-0", "trio-2"])(
    "gets %s back with its data when it is deleted; a primary hands over before",
    async (pod) => {
      const { metadata } = await cluster.client.of(Pod).get({ namespace: "default", name: pod });
      await cluster.client.of(Pod).delete({ namespace: "default", name: pod });
      await expect
        .poll(() => readyPod(cluster, pod), patience)
        .toSatisfy((uid: string | undefined) => uid !== undefined && uid !== metadata.uid);
      await expect.poll(() => redis(cluster, pod, "get", "greeting"), patience).toBe("hello");
      await expect
        .poll(() => replication(cluster, pod), patience)
        .toMatchObject({ role: "slave", master_link_status: "up" });
      const { status } = await cluster.client.of(RedisInstance).get(key);
      await expect
        .poll(() => replication(cluster, status?.replication?.primary ?? ""), patience)
        .toMatchObject({ role: "master", connected_slaves: "2" });
      expect(await askRedis(await addressOf(cluster), "GET greeting")).toContain("hello");
    },
  );

  it("takes its children with it when it is deleted, and leaves the volumes", async () => {
    await cluster.client.of(RedisInstance).delete(key);
    const { client } = cluster;
    for (const read of [
      () => client.of(RedisInstance).get(key),
      () => client.of(StatefulSet).get(key),
      () => client.of(Service).get(key),
      () => client.of(Service).get({ ...key, name: "trio-headless" }),
      () => client.of(ConfigMap).get(key),
    ]) {
      await expect.poll(() => exists(read), patience).toBe(false);
    }
    await expect
      .poll(async () => (await client.of(Pod).list({ namespace: "default" }).all()).items, patience)
      .toEqual([]);
    const { items } = await client.of(PersistentVolumeClaim).list({ namespace: "default" }).all();
    expect(items.map(({ metadata, status }) => `${metadata.name} ${status?.phase}`)).toEqual(
      pods.map((pod) => `redis-data-${pod} Bound`),
    );
  });
});

/** The uid of a pod that is ready; undefined while it is not. */
async function readyPod({ client }: TestCluster, name: string): Promise<string | undefined> {
  try {
    const { metadata, status } = await client.of(Pod).get({ namespace: "default", name });
    const ready = status?.conditions?.some(
      (condition) => condition.type === "Ready" && condition.status === "True",
    );
    return ready === true ? metadata.uid : undefined;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

async function addressOf({ client }: TestCluster): Promise<RedisAddress> {
  const service = await client.of(Service).get(key);
  const secret = await client.of(Secret).get({ ...key, name: "trio-auth" });
  const password = Buffer.from(secret.data?.["password"] ?? "", "base64").toString();
  return { host: service.spec?.clusterIP ?? "", password };
}

async function exists(read: () => Promise<unknown>): Promise<boolean> {
  try {
    await read();
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
