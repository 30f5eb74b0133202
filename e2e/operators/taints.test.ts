import { Event, Node, Pod } from "@kedge/machinery/kinds/core/v1";
import { startTestEnv } from "@kedge/testkit";
import { expect, it } from "vitest";

const keyOf = (name: string) => ({ namespace: "default", name });

it("a taint with NoExecute sends pods away at once, after their time, or never", async () => {
  await using env = await startTestEnv({ node: false });
  const { client } = env;
  const node = { name: "node-1" };
  await env.run(client.of(Node).create({ metadata: node, spec: {} }));
  const tolerations = {
    short: [],
    long: [{ key: "flood", operator: "Exists", effect: "NoExecute", tolerationSeconds: 60 }],
    ever: [{ key: "flood", operator: "Exists" }],
  };
  for (const [name, some] of Object.entries(tolerations)) {
    const spec = { nodeName: node.name, containers: [{ name: "main", image: "main:1" }], tolerations: some };
    await env.run(client.of(Pod).create({ metadata: keyOf(name), spec }));
  }
  const left = async (): Promise<readonly string[]> => {
    const { items } = await env.run(client.of(Pod).list({ namespace: "default" }).all());
    const staying = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    return staying.map(({ metadata }) => metadata.name).toSorted();
  };
  await env.advance(10_000);
  expect(await left()).toEqual(["ever", "long", "short"]);

  const taints = [{ key: "flood", effect: "NoExecute" }];
  await env.run(client.of(Node).patch(node, { merge: { spec: { taints } } }));
  await env.advance(30_000);
  expect(await left()).toEqual(["ever", "long"]);
  const { status } = await env.run(client.of(Pod).get(keyOf("short")));
  expect(status?.conditions).toContainEqual(
    expect.objectContaining({ type: "DisruptionTarget", reason: "DeletionByTaintManager" }),
  );
  await env.advance(60_000);
  expect(await left()).toEqual(["ever"]);
  const { items } = await env.run(client.of(Event).list({ namespace: "default" }).all());
  const evicted = items.filter(({ reason }) => reason === "TaintManagerEviction");
  expect(evicted.map(({ message = "" }) => message).toSorted()).toEqual([
    "Marking for deletion Pod default/long",
    "Marking for deletion Pod default/short",
  ]);
});

it("a taint that goes again spares those whose time was not over", async () => {
  await using env = await startTestEnv({ node: false });
  const { client } = env;
  const node = { name: "node-1" };
  const taints = [{ key: "flood", effect: "NoExecute" }];
  await env.run(client.of(Node).create({ metadata: node, spec: { taints } }));
  const tolerations = [{ key: "flood", operator: "Exists", effect: "NoExecute", tolerationSeconds: 60 }];
  const spec = { nodeName: node.name, containers: [{ name: "main", image: "main:1" }], tolerations };
  await env.run(client.of(Pod).create({ metadata: keyOf("web"), spec }));
  await env.advance(30_000);
  await env.run(client.of(Node).patch(node, { merge: { spec: { taints: null } } }));
  await env.advance(120_000);
  const { metadata } = await env.run(client.of(Pod).get(keyOf("web")));
  expect(metadata.deletionTimestamp).toBeUndefined();
  const { items } = await env.run(client.of(Event).list({ namespace: "default" }).all());
  const told = items.filter(({ reason }) => reason === "TaintManagerEviction");
  expect(told.map(({ message }) => message)).toEqual(["Cancelling deletion of Pod default/web"]);
});
