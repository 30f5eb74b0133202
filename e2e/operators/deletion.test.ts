import { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import { PersistentVolumeClaim, Pod } from "@kedge/machinery/kinds/core/v1";
import { RedisInstance } from "@kedge/redis-operator";
import { withDefaults } from "@kedge/schema";
import { startTestEnv, type Snapshot, type TestEnv, type TestEnvOptions } from "@kedge/testkit";
import { describe, expect, it } from "vitest";
import { seededRedisOperator } from "./testing/operators.ts";

const at = { namespace: "default", name: "cache" };

const instance = (replicas: number) =>
  withDefaults(RedisInstance, {
    metadata: at,
    spec: { image: "redis:7.0", replicas, deletionPolicy: "Delete" },
  });

/** How many claims and pods there are, and whether the instance and its set are. */
async function remains({ client }: TestEnv): Promise<readonly string[]> {
  const { namespace } = at;
  const found = [
    ...(await client.of(PersistentVolumeClaim).list({ namespace }).all()).items,
    ...(await client.of(Pod).list({ namespace }).all()).items,
    ...(await client.of(StatefulSet).list({ namespace }).all()).items,
    ...(await client.of(RedisInstance).list({ namespace }).all()).items,
  ];
  return found.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
}

/** Without a node: pods stay Pending and go at once. */
const options: TestEnvOptions = { operators: [seededRedisOperator], node: false };

async function emptyCluster(): Promise<Snapshot> {
  await using env = await startTestEnv(options);
  await env.untilQuiet();
  return await env.snapshot();
}

/** Creates an instance, deletes it before the n-th write of anybody, and lets everything come to rest. */
async function deletedAt(
  from: Snapshot,
  moment: number,
  replicas: number,
): Promise<{ made: number; left: readonly string[] }> {
  await using env = await startTestEnv({ ...options, from });
  const instances = env.client.of(RedisInstance);
  let writes = 0;
  let deletion: Promise<unknown> | undefined;
  await env.create(RedisInstance, instance(replicas));
  for (const name of ["controllers", "redis"]) {
    env.process(name).onWrite = async () => {
      if (writes++ !== moment) return;
      deletion = instances.delete(at);
      await deletion;
    };
  }
  await env.untilQuiet();
  const made = writes;
  await env.run(deletion ?? instances.delete(at));
  await env.untilQuiet();
  return { made, left: await env.run(remains(env)) };
}

describe("an instance with deletionPolicy Delete", () => {
  // In four parts, because each moment is a cluster of its own.
  it.each([0, 1, 2, 3])(
    "leaves nothing, at whatever moment of its creation it is deleted: every fourth from %d",
    async (first) => {
      const from = await emptyCluster();
      const { made, left } = await deletedAt(from, Infinity, 3);
      expect(left).toEqual([]);
      expect(made).toBeGreaterThan(10);
      for (let moment = first; moment < made; moment += 4) {
        expect([moment, (await deletedAt(from, moment, 3)).left]).toEqual([moment, []]);
      }
    },
  );

  it("leaves nothing of the most that there can be, deleted in the middle", async () => {
    const { left } = await deletedAt(await emptyCluster(), 30, 16);
    expect(left).toEqual([]);
  });
});
