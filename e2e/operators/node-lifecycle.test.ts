import { findCondition } from "@kedge/machinery";
import { Deployment, StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import { Event, Node, Pod } from "@kedge/machinery/kinds/core/v1";
import { startTestEnv, type TestEnv } from "@kedge/testkit";
import { describe, expect, it } from "vitest";
import { addNodes } from "./testing/more-nodes.ts";

const namespace = "default";
const labels = { app: "web" };
const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "main:1" }] } };
const selector = { matchLabels: labels };

describe("a node whose agent is gone", () => {
  it("is unreachable after 50 s, its pods are not ready, and are elsewhere after 5 minutes", async () => {
    await using env = await startTestEnv();
    const [second, third] = await addNodes(env, ["node-2", "node-3"]);
    await deploy(env, 6);
    const lost = (await podsOn(env, "node-2")).map(({ metadata }) => metadata.name);
    expect(lost.length).toBeGreaterThan(0);
    const begin = env.clock.now();
    await second?.lose();

    const silent = await env.eventually(Node, { name: "node-2" }, (node) => readyOf(node) === "Unknown");
    expect((env.clock.now() - begin) / 1000).toBeGreaterThan(39);
    expect((env.clock.now() - begin) / 1000).toBeLessThan(61);
    expect(findCondition(silent.status?.conditions, "MemoryPressure")).toMatchObject({
      status: "Unknown",
      reason: "NodeStatusUnknown",
      message: "Kubelet stopped posting node status.",
    });
    await env.advance(10_000);
    expect((await taintsOf(env, "node-2")).toSorted()).toEqual([
      "unreachable:NoExecute",
      "unreachable:NoSchedule",
    ]);
    for (const pod of await podsOn(env, "node-2")) {
      expect(pod.metadata.deletionTimestamp).toBeUndefined();
      expect(findCondition(pod.status?.conditions, "Ready")?.status).toBe("False");
    }
    const told = await eventsOf(env);
    expect(told).toContain("Node node-2 NodeNotReady");
    for (const name of lost) expect(told).toContain(`Pod ${name} NodeNotReady`);

    // They are told to go after tolerationSeconds, and others are made; nobody is there to stop them.
    await env.eventually(Deployment, { namespace, name: "web" }, ({ status }) => status?.readyReplicas === 6);
    expect((env.clock.now() - begin) / 1000).toBeGreaterThan(339);
    const left = await podsOn(env, "node-2");
    expect(left.map(({ metadata }) => metadata.name).toSorted()).toEqual(lost.toSorted());
    expect(left.every(({ metadata }) => metadata.deletionTimestamp !== undefined)).toBe(true);

    second?.comeBack();
    await env.eventually(Node, { name: "node-2" }, (node) => readyOf(node) === "True");
    for (const name of lost) await env.eventuallyGone(Pod, { namespace, name });
    await env.advance(10_000);
    expect(await taintsOf(env, "node-2")).toEqual([]);
    await second?.lose();
    await third?.lose();
  });

  it("keeps its pods when it comes back in time", async () => {
    await using env = await startTestEnv();
    const [second] = await addNodes(env, ["node-2"]);
    await deploy(env, 4);
    const before = (await podsOn(env, "node-2")).map(({ metadata }) => metadata.uid);
    expect(before.length).toBeGreaterThan(0);
    await second?.lose();
    await env.advance("4m");
    expect(await taintsOf(env, "node-2")).toContain("unreachable:NoExecute");
    second?.comeBack();
    await env.eventually(Deployment, { namespace, name: "web" }, ({ status }) => status?.readyReplicas === 4);
    await env.advance("10m");
    expect(await taintsOf(env, "node-2")).toEqual([]);
    expect((await podsOn(env, "node-2")).map(({ metadata }) => metadata.uid)).toEqual(before);
    await second?.lose();
  });

  it("has no pod evicted when no node at all is ready, and gets its full time when one is again", async () => {
    await using env = await startTestEnv({ node: false });
    const nodes = await addNodes(env, ["node-1", "node-2"]);
    await deploy(env, 4);
    for (const node of nodes) await node.lose();
    await env.advance("20m");
    for (const { name } of nodes) expect(await taintsOf(env, name)).toEqual(["unreachable:NoSchedule"]);
    const { items } = await env.run(env.client.of(Pod).list({ namespace }).all());
    expect(items.filter(({ metadata }) => metadata.deletionTimestamp !== undefined)).toEqual([]);
    nodes[0]?.comeBack();
    await env.eventually(Node, { name: "node-1" }, (node) => readyOf(node) === "True");
    await env.advance("1m");
    expect(await taintsOf(env, "node-1")).toEqual([]);
    expect((await taintsOf(env, "node-2")).toSorted()).toEqual([
      "unreachable:NoExecute",
      "unreachable:NoSchedule",
    ]);
    await nodes[0]?.lose();
  });
});

describe("a pod of a stateful set on a node that is gone", () => {
  async function withLostMember(env: TestEnv) {
    const [second] = await addNodes(env, ["node-2"]);
    // So that a member is there and nowhere else.
    await cordon(env, "node-1", true);
    const spec = { serviceName: "db", replicas: 1, selector, template };
    await env.create(StatefulSet, { metadata: { namespace, name: "db" }, spec });
    const { metadata } = await env.eventually(Pod, db, isReady);
    await cordon(env, "node-1", false);
    await second?.lose();
    return metadata.uid;
  }
  const db = { namespace, name: "db-0" };
  const isReady = (pod: Pod) => findCondition(pod.status?.conditions, "Ready")?.status === "True";

  it("is not made again for as long as it may still run there", async () => {
    await using env = await startTestEnv();
    const uid = await withLostMember(env);
    await env.advance("1h");
    const { metadata } = await env.run(env.client.of(Pod).get(db));
    expect([metadata.uid, metadata.deletionTimestamp === undefined]).toEqual([uid, false]);
  });

  it.each([
    ["when the node is deleted", (env: TestEnv) => env.run(env.client.of(Node).delete({ name: "node-2" }))],
    ["when a person says that the node is out of service", outOfService],
  ])("is made again %s", async (_title, giveUp) => {
    await using env = await startTestEnv();
    const uid = await withLostMember(env);
    await env.advance("10m");
    await giveUp(env);
    const pod = await env.eventually(Pod, db, (one) => one.metadata.uid !== uid && isReady(one));
    expect(pod.spec.nodeName).toBe("node-1");
  });
});

it("new pods stay away from a node that is cordoned, and come again when it is not", async () => {
  await using env = await startTestEnv();
  await cordon(env, "node-1", true);
  expect(await taintsOf(env, "node-1")).toEqual(["unschedulable:NoSchedule"]);
  await env.create(Pod, { metadata: { namespace, name: "web" }, spec: template.spec });
  await env.advance("5m");
  expect((await env.run(env.client.of(Pod).get({ namespace, name: "web" }))).spec.nodeName).toBeUndefined();
  await cordon(env, "node-1", false);
  await env.eventually(Pod, { namespace, name: "web" }, ({ status }) => status?.phase === "Running");
  expect(await taintsOf(env, "node-1")).toEqual([]);
});

async function outOfService(env: TestEnv): Promise<void> {
  const { spec } = await env.run(env.client.of(Node).get({ name: "node-2" }));
  const taints = [
    ...(spec.taints ?? []),
    { key: "node.kubernetes.io/out-of-service", value: "nodeshutdown", effect: "NoExecute" },
  ];
  await env.run(env.client.of(Node).patch({ name: "node-2" }, { merge: { spec: { taints } } }));
}

async function cordon(env: TestEnv, name: string, unschedulable: boolean): Promise<void> {
  await env.run(env.client.of(Node).patch({ name }, { merge: { spec: { unschedulable } } }));
  // The scheduler must have seen it.
  await env.advance(1_000);
}

async function deploy(env: TestEnv, replicas: number): Promise<void> {
  await env.create(Deployment, {
    metadata: { namespace, name: "web" },
    spec: { replicas, selector, template },
  });
  await env.eventually(
    Deployment,
    { namespace, name: "web" },
    ({ status }) => status?.readyReplicas === replicas,
  );
}

async function podsOn(env: TestEnv, nodeName: string): Promise<readonly Pod[]> {
  const { items } = await env.run(env.client.of(Pod).list({ namespace }).all());
  return items.filter(({ spec }) => spec.nodeName === nodeName);
}

async function taintsOf(env: TestEnv, name: string): Promise<readonly string[]> {
  const { spec } = await env.run(env.client.of(Node).get({ name }));
  return (spec.taints ?? []).map(({ key, effect }) => `${key.replace("node.kubernetes.io/", "")}:${effect}`);
}

async function eventsOf(env: TestEnv): Promise<readonly string[]> {
  const { items } = await env.run(env.client.of(Event).list({ namespace }).all());
  return items.map(
    ({ involvedObject, reason }) =>
      `${involvedObject.kind ?? ""} ${involvedObject.name ?? ""} ${reason ?? ""}`,
  );
}

function readyOf({ status }: Node): string | undefined {
  return findCondition(status?.conditions, "Ready")?.status;
}
