import { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import { PersistentVolumeClaim, Pod } from "@kedge/machinery/kinds/core/v1";
import { RedisInstance } from "@kedge/redis-operator";
import { parseObject } from "@kedge/schema";
import { describe, expect, it } from "vitest";
import { virtualCluster, type VirtualCluster } from "./testing/virtual-cluster.ts";

const at = { namespace: "default", name: "cache" };

const instance = (replicas: number) =>
  parseObject(RedisInstance, {
    apiVersion: "redis.github.com/v1",
    kind: "RedisInstance",
    metadata: at,
    spec: { image: "redis:7.0", replicas, deletionPolicy: "Delete" },
  });

/** How many claims and pods there are, and whether the instance and its set are. */
async function remains({ client }: VirtualCluster): Promise<readonly string[]> {
  const { namespace } = at;
  const found = [
    ...(await client.of(PersistentVolumeClaim).list({ namespace }).all()).items,
    ...(await client.of(Pod).list({ namespace }).all()).items,
    ...(await client.of(StatefulSet).list({ namespace }).all()).items,
    ...(await client.of(RedisInstance).list({ namespace }).all()).items,
  ];
  return found.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
}

/** Creates an instance, deletes it before the n-th write of the controllers, and lets everything come to rest. */
async function deletedAt(
  moment: number,
  replicas: number,
): Promise<{ made: number; left: readonly string[] }> {
  const cluster = await virtualCluster();
  const { clock, client } = cluster;
  let writes = 0;
  let deletion: Promise<unknown> | undefined;
  cluster.onWrite = async () => {
    if (writes++ !== moment) return;
    deletion = client.of(RedisInstance).delete(at);
    await deletion;
  };
  await clock.runUntil(client.of(RedisInstance).create(instance(replicas)));
  await clock.advance(20_000);
  const made = writes;
  deletion ??= client.of(RedisInstance).delete(at);
  await clock.runUntil(deletion);
  await clock.advance(60_000);
  return { made, left: await clock.runUntil(remains(cluster)) };
}

describe("an instance with deletionPolicy Delete", () => {
  // In four parts, because each moment is a cluster of its own.
  it.each([0, 1, 2, 3])(
    "leaves nothing, at whatever moment of its creation it is deleted: every fourth from %d",
    async (first) => {
      const { made, left } = await deletedAt(Infinity, 3);
      expect(left).toEqual([]);
      expect(made).toBeGreaterThan(10);
      for (let moment = first; moment < made; moment += 4) {
        expect([moment, (await deletedAt(moment, 3)).left]).toEqual([moment, []]);
      }
    },
  );

  it("leaves nothing of the most that there can be, deleted in the middle", async () => {
    const { left } = await deletedAt(30, 16);
    expect(left).toEqual([]);
  });
});
