import { resourceVersion, seededRandom, silentLogger, type DeepReadonly } from "@kedge/machinery";
import { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import { Namespace, PersistentVolumeClaim } from "@kedge/machinery/kinds/core/v1";
import { cachesOf, startTestEnv, type TestEnv } from "@kedge/testkit";
import { expect, it } from "vitest";
import { act } from "./act.ts";
import { ConfigTrials } from "./config-trials.ts";
import type { RollBack } from "./plan/roll-back.ts";
import type { Action as AnyAction } from "./plan/types.ts";
import { statefulSetOf } from "./specs/stateful-set.ts";
import { instanceOf } from "./testing/builders.ts";
import { silentEngine } from "./testing/silent-engine.ts";
import { UserTrials } from "./user-trials.ts";

type Action = Exclude<AnyAction, RollBack>;

const instance = instanceOf();
const key = { namespace: "shop", name: "cache" };
const claimKey = { namespace: "shop", name: "redis-data-cache-0" };

/** A real server with the namespace; nobody is there who would change anything. */
async function serverWith(): Promise<TestEnv & { act(action: Action): Promise<void> }> {
  const env = await startTestEnv({ node: false });
  env.process("controllers").kill();
  await env.create(Namespace, { metadata: { name: "shop" } });
  const context = {
    client: env.client,
    signal: new AbortController().signal,
    events: { record: () => undefined, flush: () => Promise.resolve() },
    ...cachesOf([]),
    clock: env.clock,
    logger: silentLogger,
  };
  const acting = {
    context,
    instance,
    secretRandom: seededRandom(1),
    engine: silentEngine,
    trials: new ConfigTrials(),
    userTrials: new UserTrials(),
  };
  return Object.assign(env, { act: (action: Action) => env.run(act(action, acting)) });
}

async function made(env: TestEnv, labels: Record<string, string>): Promise<PersistentVolumeClaim> {
  const resources = { requests: { storage: "1Gi" } };
  return await env.create(PersistentVolumeClaim, {
    metadata: { ...claimKey, labels },
    spec: { accessModes: ["ReadWriteOnce"], resources },
  });
}

it("stops the pods of the very StatefulSet that it has seen", async () => {
  await using env = await serverWith();
  const options = { replicas: 3, storage: { size: "1Gi", storageClassName: undefined } };
  const { metadata, spec } = statefulSetOf(key, {
    ...options,
    image: "redis:7.0",
    resources: undefined,
    authEnabled: true,
    configHash: "hash",
    placing: { labels: {}, annotations: {}, priorityClassName: undefined },
  });
  const { uid } = (await env.create(StatefulSet, { metadata, spec } as DeepReadonly<StatefulSet>)).metadata;
  const replicas = async (): Promise<number | undefined> =>
    (await env.run(env.client.of(StatefulSet).get(key))).spec?.replicas;
  const other = "00000000-0000-4000-8000-000000000000" as typeof uid;
  await expect(env.act({ type: "stop pods", name: "cache", uid: other })).rejects.toThrow(/uid/iu);
  expect(await replicas()).toBe(3);
  await env.act({ type: "stop pods", name: "cache", uid });
  await env.act({ type: "stop pods", name: "cache", uid });
  expect(await replicas()).toBe(0);
});

it("finds a StatefulSet that is gone without pods", async () => {
  await using env = await serverWith();
  const gone = env.act({ type: "stop pods", name: "cache", uid: instance.metadata.uid });
  await expect(gone).resolves.toBeUndefined();
});

it("gives a claim our labels, and leaves it the others", async () => {
  await using env = await serverWith();
  await env.act({ type: "label claim", claim: await made(env, { mine: "1" }) });
  const { metadata } = await env.run(env.client.of(PersistentVolumeClaim).get(claimKey));
  expect(metadata.labels).toEqual({ mine: "1", app: "redis", "redis.github.com/instance": "cache" });
});

it("labels no claim that has been changed since, and none that is gone", async () => {
  await using env = await serverWith();
  const claim = await made(env, {});
  const old = { ...claim, metadata: { ...claim.metadata, resourceVersion: resourceVersion("1") } };
  await expect(env.act({ type: "label claim", claim: old })).rejects.toThrow("has been modified");
  await env.run(
    env.client.of(PersistentVolumeClaim).patch(claimKey, { merge: { metadata: { finalizers: null } } }),
  );
  await env.run(env.client.of(PersistentVolumeClaim).delete(claimKey));
  await env.act({ type: "label claim", claim });
  const { items } = await env.run(env.client.of(PersistentVolumeClaim).list().all());
  expect(items).toEqual([]);
});
