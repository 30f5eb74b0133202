import { isConditionTrue, seededRandom } from "@kedge/machinery";
import { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import { PersistentVolumeClaim, Secret, Service } from "@kedge/machinery/kinds/core/v1";
import { startTestEnv, type TestEnv } from "@kedge/testkit";
import { expect, it } from "vitest";
import { ConfigTrials } from "./config-trials.ts";
import { RedisInstance } from "./kind.ts";
import { instanceLabel, labelsOf } from "./names.ts";
import { observe } from "./observe.ts";
import { redisOperator } from "./operator.ts";
import { instanceOf } from "./testing/builders.ts";
import { silentEngine, silentPulse } from "./testing/silent-engine.ts";
import { UserTrials } from "./user-trials.ts";

const key = { namespace: "default", name: "cache" };
const claim = { namespace: "default", name: "redis-data-cache-0" };
const isReady = ({ status }: RedisInstance): boolean => isConditionTrue(status?.conditions, "Ready");

const specOf = (deletionPolicy: "Retain" | "Delete"): RedisInstance["spec"] => ({
  image: "redis:7.0",
  replicas: 1,
  durability: "normal",
  storage: { size: "1Gi" },
  auth: { enabled: true, oldPasswordSeconds: 3600 },
  deletionPolicy,
});

async function envWith(deletionPolicy: "Retain" | "Delete" = "Retain"): Promise<TestEnv> {
  const env = await startTestEnv({
    operators: [redisOperator({ secretRandom: seededRandom("secrets"), engine: () => silentEngine })],
  });
  await env.create(RedisInstance, { metadata: key, spec: specOf(deletionPolicy) });
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

it("leaves a Secret alone that has the name of the system's, says so, and goes on when it is gone", async () => {
  await using env = await startTestEnv({
    operators: [redisOperator({ secretRandom: seededRandom("secrets"), engine: () => silentEngine })],
  });
  const name = { ...key, name: "cache.system" };
  const theirs = { metadata: name, type: "Opaque", data: { key: "c2VjcmV0" } };
  const { metadata } = await env.create(Secret, theirs);
  await env.create(RedisInstance, { metadata: key, spec: specOf("Retain") });
  const isFailed = ({ status }: RedisInstance): boolean => status?.status === "Failed";
  const { status } = await env.eventually(RedisInstance, key, isFailed);
  expect(status?.lastConditionMessage).toContain("The Secret cache.system is not this instance's");
  await env.advance("1m");
  const { metadata: now, data } = await env.run(env.client.of(Secret).get(name));
  expect([now.resourceVersion, data]).toEqual([metadata.resourceVersion, theirs.data]);
  await env.run(env.client.of(Secret).delete(name));
  await env.advance("2s");
  expect((await env.run(env.client.of(Secret).get(name))).data?.["probe"]).toBeDefined();
  await env.eventually(RedisInstance, key, isReady);
});

it("knows its Secrets when somebody has taken their labels off", async () => {
  await using env = await envWith();
  const operator = env.process("redis");
  const before = operator.writes;
  for (const name of ["cache.system", "cache.password-in-use", "cache-auth"]) {
    const merge = { metadata: { labels: { [instanceLabel]: null } } };
    await env.run(env.client.of(Secret).patch({ ...key, name }, { merge }));
  }
  operator.kill();
  await env.advance("1m");
  const { status } = await env.run(env.client.of(RedisInstance).get(key));
  expect([operator.lives, operator.writes, status?.status]).toEqual([2, before, "Running"]);
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

it("puts back a port of its Service that somebody has changed", async () => {
  await using env = await envWith();
  const before = await env.run(env.client.of(Service).get(key));
  const json = [{ op: "replace", path: "/spec/ports/0/port", value: 6380 }] as const;
  await env.run(env.client.of(Service).patch(key, { json }));
  await env.untilQuiet();
  const after = await env.run(env.client.of(Service).get(key));
  expect(after.spec?.ports).toEqual(before.spec?.ports);
  expect(isReady(await env.run(env.client.of(RedisInstance).get(key)))).toBe(true);
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

it("sees at once that a Secret without labels got its password", async () => {
  await using env = await startTestEnv({
    operators: [redisOperator({ engine: () => silentEngine })],
    node: false,
  });
  const at = { namespace: "default", name: "cache-auth" };
  await env.create(Secret, { metadata: at });
  await env.create(RedisInstance, { metadata: key, spec: specOf("Retain") });
  await env.eventually(RedisInstance, key, ({ status }) => status?.status === "Failed");
  // By now nobody would try again soon by himself.
  await env.advance("20m");
  const merge = { data: { password: Buffer.from("late").toString("base64") } };
  await env.run(env.client.of(Secret).patch(at, { merge }));
  const goesOn = ({ status }: RedisInstance): boolean => status?.status === "Pending";
  const { status } = await env.eventually(RedisInstance, key, goesOn, { limit: 30_000 });
  expect(status?.status).toBe("Pending");
});

it("looks at the server itself for what is to be deleted", async () => {
  await using env = await startTestEnv({ operators: [], node: false });
  const instance = instanceOf({ deletionPolicy: "Delete" }, { metadata: key });
  const metadata = { ...claim, labels: labelsOf(key.name) };
  const volume = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
  await env.create(PersistentVolumeClaim, { metadata, spec: volume });
  const empty = { get: () => undefined, list: () => [], byIndex: () => [] };
  const context = {
    read: () => empty as never,
    client: env.client,
    clock: env.clock,
    signal: new AbortController().signal,
  };
  const claimsOf = async (deletionTimestamp: string | undefined): Promise<number> => {
    const seen = { ...instance, metadata: { ...instance.metadata, deletionTimestamp } };
    return (
      await env.run(
        observe(context, seen, {
          pulse: silentPulse(env.clock),
          trials: new ConfigTrials(),
          userTrials: new UserTrials(),
        }),
      )
    ).claims.length;
  };
  expect([await claimsOf(undefined), await claimsOf("2026-11-16T00:00:00Z")]).toEqual([0, 1]);
});
