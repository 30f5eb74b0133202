import { isConditionTrue, seededRandom } from "@kedge/machinery";
import { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import { PersistentVolumeClaim, Secret } from "@kedge/machinery/kinds/core/v1";
import { startTestEnv, type TestEnv } from "@kedge/testkit";
import { expect, it } from "vitest";
import { RedisInstance } from "./kind.ts";
import { instanceLabel } from "./names.ts";
import { redisOperator } from "./operator.ts";

const key = { namespace: "default", name: "cache" };
const claim = { namespace: "default", name: "redis-data-cache-0" };
const isReady = ({ status }: RedisInstance): boolean => isConditionTrue(status?.conditions, "Ready");

async function envWith(deletionPolicy: "Retain" | "Delete" = "Retain"): Promise<TestEnv> {
  const env = await startTestEnv({ operators: [redisOperator({ secretRandom: seededRandom("secrets") })] });
  const auth = { enabled: true };
  const spec = { image: "redis:7.0", replicas: 1, storage: { size: "1Gi" }, auth, deletionPolicy };
  await env.create(RedisInstance, { metadata: key, spec });
  await env.eventually(RedisInstance, key, isReady);
  await env.untilQuiet();
  return env;
}

const setOf = (env: TestEnv): Promise<StatefulSet> => env.run(env.client.of(StatefulSet).get(key));

it("finds what it made in an earlier life, and writes nothing", async () => {
  await using env = await envWith();
  const operator = env.process("redis");
  const before = operator.writes;
  operator.kill();
  await env.advance("10m");
  expect([operator.lives, operator.writes]).toEqual([2, before]);
});

it("keeps a StatefulSet that lost its label, and gives it back", async () => {
  await using env = await envWith();
  const before = await setOf(env);
  const merge = { metadata: { labels: { [instanceLabel]: null } } };
  await env.run(env.client.of(StatefulSet).patch(key, { merge }));
  await env.untilQuiet();
  const { metadata, spec } = await setOf(env);
  expect({ uid: metadata.uid, labels: metadata.labels, spec }).toEqual({
    uid: before.metadata.uid,
    labels: before.metadata.labels,
    spec: before.spec,
  });
});

it("makes the Secret of clients again with the password in use", async () => {
  await using env = await envWith();
  const at = { namespace: "default", name: "cache-auth" };
  const before = await env.run(env.client.of(Secret).get(at));
  await env.run(env.client.of(Secret).delete(at));
  const after = await env.eventually(Secret, at, ({ metadata }) => metadata.uid !== before.metadata.uid);
  expect(after.data).toEqual(before.data);
});

it.each([
  ["Retain", true],
  ["Delete", false],
] as const)("is let go when its clean-up is done; the volume with %s: %j", async (policy, isKept) => {
  await using env = await envWith(policy);
  await env.run(env.client.of(RedisInstance).delete(key));
  await env.eventuallyGone(RedisInstance, key);
  await env.eventuallyGone(StatefulSet, key);
  const { items } = await env.run(env.client.of(PersistentVolumeClaim).list(claim).all());
  expect(items).toHaveLength(isKept ? 1 : 0);
});
