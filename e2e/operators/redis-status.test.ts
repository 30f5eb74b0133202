import { findCondition } from "@kedge/machinery";
import { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import { ConfigMap, Event, PersistentVolumeClaim, Pod } from "@kedge/machinery/kinds/core/v1";
import { RedisInstance } from "@kedge/redis-operator";
import { parseObject } from "@kedge/schema";
import { describe, expect, it } from "vitest";
import { virtualCluster, type VirtualCluster } from "./testing/virtual-cluster.ts";

const at = { namespace: "default", name: "cache" };

const instance = (spec: object = {}) =>
  parseObject(RedisInstance, {
    apiVersion: "redis.github.com/v1",
    kind: "RedisInstance",
    metadata: at,
    spec: { image: "redis:7.0", ...spec },
  });

async function clusterWith(spec: object = {}): Promise<VirtualCluster> {
  const cluster = await virtualCluster();
  await cluster.clock.runUntil(cluster.client.of(RedisInstance).create(instance(spec)));
  await cluster.clock.advance(10_000);
  return cluster;
}

const statusOf = async ({ client, clock }: VirtualCluster) =>
  (await clock.runUntil(client.of(RedisInstance).get(at))).status;

async function warningsOf({ client, clock }: VirtualCluster): Promise<readonly string[]> {
  const { items } = await clock.runUntil(client.of(Event).list({ namespace: at.namespace }).all());
  return items
    .filter(({ involvedObject, type }) => involvedObject.kind === "RedisInstance" && type === "Warning")
    .map(({ reason, message }) => `${reason} ${message}`);
}

async function copiesOf({ client, clock }: VirtualCluster): Promise<readonly string[]> {
  const { items } = await clock.runUntil(client.of(ConfigMap).list({ namespace: at.namespace }).all());
  return items.filter(({ immutable }) => immutable === true).map(({ metadata }) => metadata.name);
}

/** Does to all pods what a node would: they run and are ready. */
async function makeReady({ client, clock }: VirtualCluster): Promise<void> {
  const { items } = await clock.runUntil(client.of(Pod).list({ namespace: at.namespace }).all());
  const status = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
  for (const { metadata } of items) {
    await clock.runUntil(client.of(Pod).status.patch(metadata, { strategic: { status } }));
  }
  await clock.advance(10_000);
}

describe("the status of an instance", () => {
  it("says within seconds that a pod cannot be made, and why", async () => {
    const cluster = await clusterWith({ image: "red is:7.0 " });
    const status = await statusOf(cluster);
    expect(status).toMatchObject({ status: "Pending", readyReplicas: "0/1" });
    expect(findCondition(status?.conditions, "Ready")).toMatchObject({ reason: "FailedCreate" });
    expect(status?.lastConditionMessage).toContain("must not have leading or trailing whitespace");
    expect(status?.lastConditionMessage).not.toContain("claim");
    expect((await warningsOf(cluster)).join("\n")).toContain("FailedCreate a pod cannot be made");
  });

  it("does not call it an update when a pod is lost", async () => {
    const cluster = await clusterWith({ replicas: 2 });
    await makeReady(cluster);
    expect(await statusOf(cluster)).toMatchObject({ status: "Running", readyReplicas: "2/2" });
    await cluster.clock.runUntil(cluster.client.of(Pod).delete({ ...at, name: "cache-1" }));
    await cluster.clock.advance(10_000);
    expect(await statusOf(cluster)).toMatchObject({ status: "Pending", readyReplicas: "1/2" });
    await makeReady(cluster);
    expect(await statusOf(cluster)).toMatchObject({ status: "Running", readyReplicas: "2/2" });
  });

  it("does not count pods of somebody else's StatefulSet", async () => {
    const cluster = await virtualCluster();
    const { client, clock } = cluster;
    const labels = { app: "redis", "redis.github.com/instance": "cache" };
    await clock.runUntil(
      client.of(StatefulSet).create({
        metadata: at,
        spec: {
          serviceName: "theirs",
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: [{ name: "a", image: "a:1" }] } },
        },
      }),
    );
    await clock.advance(5000);
    await makeReady(cluster);
    await clock.runUntil(client.of(RedisInstance).create(instance()));
    await clock.advance(10_000);
    expect(await statusOf(cluster)).toMatchObject({ status: "Failed", readyReplicas: "0/1", replicas: 0 });
  });
});

describe("the storage of an instance", () => {
  const refusedSize = async (cluster: VirtualCluster): Promise<string | undefined> =>
    findCondition((await statusOf(cluster))?.conditions, "SpecAccepted")?.message;

  it("stays refused when the StatefulSet, or the instance, is made again", async () => {
    const cluster = await clusterWith();
    const { client, clock } = cluster;
    await clock.runUntil(
      client.of(RedisInstance).patch(at, { merge: { spec: { storage: { size: "2Gi" } } } }),
    );
    await clock.advance(10_000);
    const told = "spec.storage.size is 2Gi, but the volumes were made with 1Gi";
    expect(await refusedSize(cluster)).toContain(told);
    await clock.runUntil(client.of(StatefulSet).delete(at));
    await clock.advance(30_000);
    expect(await refusedSize(cluster)).toContain(told);
    await clock.runUntil(client.of(RedisInstance).delete(at));
    await clock.advance(30_000);
    await clock.runUntil(client.of(RedisInstance).create(instance({ storage: { size: "2Gi" } })));
    await clock.advance(30_000);
    expect(await refusedSize(cluster)).toContain(told);
    const claim = client.of(PersistentVolumeClaim).get({ ...at, name: "redis-data-cache-0" });
    expect((await clock.runUntil(claim)).spec?.resources?.requests).toEqual({ storage: "1Gi" });
  });
});

describe("the config of an instance", () => {
  it("reaches a pod only when it is replaced, and older copies go when the last pod has gone", async () => {
    const cluster = await clusterWith({ replicas: 2 });
    const { client, clock } = cluster;
    await makeReady(cluster);
    const [first] = await copiesOf(cluster);
    await clock.runUntil(
      client.of(RedisInstance).patch(at, { merge: { spec: { config: { maxmemory: "1gb" } } } }),
    );
    await clock.advance(10_000);
    // One pod was replaced and is not ready: the other has the old copy, and would have it again.
    const mounted = async (): Promise<readonly (string | undefined)[]> => {
      const { items } = await clock.runUntil(client.of(Pod).list({ namespace: at.namespace }).all());
      return items.map(
        ({ spec }) => spec.volumes?.find(({ name }) => name === "redis-config")?.configMap?.name,
      );
    };
    const copies = await copiesOf(cluster);
    expect(copies).toHaveLength(2);
    const second = copies.find((name) => name !== first);
    expect(await mounted()).toEqual([first, second]);
    await makeReady(cluster);
    await makeReady(cluster);
    await makeReady(cluster);
    expect(await mounted()).toEqual([second, second]);
    expect(await statusOf(cluster)).toMatchObject({ status: "Running", readyReplicas: "2/2" });
    expect(await copiesOf(cluster)).toEqual([second]);
    const shown = await clock.runUntil(client.of(ConfigMap).get(at));
    expect(shown.data?.["redis.conf"]).toContain("maxmemory 1gb");
  });
});
