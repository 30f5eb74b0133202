import { Event, Node, Pod } from "@kedge/machinery/kinds/core/v1";
import { expect, it } from "vitest";
import { virtualCluster } from "./testing/virtual-cluster.ts";

const keyOf = (name: string) => ({ namespace: "default", name });

it("a taint with NoExecute sends pods away at once, after their time, or never", async () => {
  const { client, clock } = await virtualCluster();
  const node = { name: "node-1" };
  await clock.runUntil(client.of(Node).create({ metadata: node, spec: {} }));
  const tolerations = {
    short: [],
    long: [{ key: "flood", operator: "Exists", effect: "NoExecute", tolerationSeconds: 60 }],
    ever: [{ key: "flood", operator: "Exists" }],
  };
  for (const [name, some] of Object.entries(tolerations)) {
    const spec = { nodeName: node.name, containers: [{ name: "main", image: "main:1" }], tolerations: some };
    await clock.runUntil(client.of(Pod).create({ metadata: keyOf(name), spec }));
  }
  const left = async (): Promise<readonly string[]> => {
    const { items } = await clock.runUntil(client.of(Pod).list({ namespace: "default" }).all());
    const staying = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    return staying.map(({ metadata }) => metadata.name).toSorted();
  };
  await clock.advance(10_000);
  expect(await left()).toEqual(["ever", "long", "short"]);

  const taints = [{ key: "flood", effect: "NoExecute" }];
  await clock.runUntil(client.of(Node).patch(node, { merge: { spec: { taints } } }));
  await clock.advance(30_000);
  expect(await left()).toEqual(["ever", "long"]);
  const { status } = await clock.runUntil(client.of(Pod).get(keyOf("short")));
  expect(status?.conditions).toContainEqual(
    expect.objectContaining({ type: "DisruptionTarget", reason: "DeletionByTaintManager" }),
  );
  await clock.advance(60_000);
  expect(await left()).toEqual(["ever"]);
  const { items } = await clock.runUntil(client.of(Event).list({ namespace: "default" }).all());
  const evicted = items.filter(({ reason }) => reason === "TaintManagerEviction");
  expect(evicted.map(({ message = "" }) => message).toSorted()).toEqual([
    "Marking for deletion Pod default/long",
    "Marking for deletion Pod default/short",
  ]);
});

it("a taint that goes again spares those whose time was not over", async () => {
  const { client, clock } = await virtualCluster();
  const node = { name: "node-1" };
  const taints = [{ key: "flood", effect: "NoExecute" }];
  await clock.runUntil(client.of(Node).create({ metadata: node, spec: { taints } }));
  const tolerations = [{ key: "flood", operator: "Exists", effect: "NoExecute", tolerationSeconds: 60 }];
  const spec = { nodeName: node.name, containers: [{ name: "main", image: "main:1" }], tolerations };
  await clock.runUntil(client.of(Pod).create({ metadata: keyOf("web"), spec }));
  await clock.advance(30_000);
  await clock.runUntil(client.of(Node).patch(node, { merge: { spec: { taints: null } } }));
  await clock.advance(120_000);
  const { metadata } = await clock.runUntil(client.of(Pod).get(keyOf("web")));
  expect(metadata.deletionTimestamp).toBeUndefined();
});
