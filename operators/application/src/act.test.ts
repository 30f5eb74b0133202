import { uid } from "@kedge/machinery";
import { Deployment } from "@kedge/machinery/kinds/apps/v1";
import { Namespace, PersistentVolumeClaim } from "@kedge/machinery/kinds/core/v1";
import { cachesOf, startTestEnv, type TestEnv } from "@kedge/testkit";
import { expect, it } from "vitest";
import { act } from "./act.ts";
import type { Action } from "./plan/plan.ts";
import { deploymentOf } from "./specs/deployment.ts";
import { applicationOf, ownedMeta } from "./testing/builders.ts";

const application = applicationOf();
const key = { namespace: "shop", name: "web" };

/** A real server with the namespace; nobody is there who would change anything. */
async function serverWith(): Promise<TestEnv & { act(action: Action): Promise<void> }> {
  const env = await startTestEnv({ node: false });
  env.process("controllers").kill();
  await env.create(Namespace, { metadata: { name: "shop" } });
  const context = { ...cachesOf([]), client: env.client, signal: new AbortController().signal };
  return Object.assign(env, { act: (action: Action) => env.run(act(action, context, application)) });
}

/** Applied by the operator, as its children are. */
async function deployed(env: TestEnv, count: number): Promise<Deployment> {
  const wanted = deploymentOf(application, { by: "application", count });
  return await env.run(env.client.of(Deployment).apply(wanted, { fieldManager: "application-operator" }));
}

const found = (env: TestEnv): Promise<Deployment> => env.run(env.client.of(Deployment).get(key));

it("holds the number of replicas, so that nobody's pods go when the operator lets go of it", async () => {
  await using env = await serverWith();
  const { metadata } = await deployed(env, 3);
  await env.act({ type: "hand over replicas", name: "web", uid: metadata.uid, count: 3 });
  const without = deploymentOf(application, { by: "autoscaler", count: undefined });
  await env.run(env.client.of(Deployment).apply(without, { fieldManager: "application-operator" }));
  const { spec, metadata: after } = await found(env);
  expect(spec?.replicas).toBe(3);
  const managers = after.managedFields?.filter(({ fieldsV1 }) =>
    JSON.stringify(fieldsV1).includes("f:replicas"),
  );
  expect(managers?.map(({ manager }) => manager)).toEqual(["application-operator-replicas"]);
});

it("does not overrule who has scaled since we looked, nor touch another Deployment of the name", async () => {
  await using env = await serverWith();
  const { metadata } = await deployed(env, 3);
  await env.run(env.client.of(Deployment).patch(key, { merge: { spec: { replicas: 5 } } }));
  const handOver = { type: "hand over replicas", name: "web", uid: metadata.uid, count: 3 } as const;
  await expect(env.act(handOver)).rejects.toThrow("conflict");
  await expect(env.act({ ...handOver, count: 5, uid: uid("another") })).rejects.toThrow(/uid/iu);
  expect((await found(env)).spec?.replicas).toBe(5);
});

it("lets a claim go that an older version owned, and keeps it", async () => {
  await using env = await serverWith();
  const { name, namespace, ownerReferences } = ownedMeta("web-data", application);
  const claim = await env.create(PersistentVolumeClaim, {
    metadata: { name, namespace, ownerReferences },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  });
  await env.act({ type: "disown claim", claim });
  const { metadata } = await env.run(env.client.of(PersistentVolumeClaim).get({ namespace, name }));
  expect(metadata.ownerReferences ?? []).toEqual([]);
});
