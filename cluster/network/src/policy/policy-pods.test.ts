import type { DeepReadonly } from "@kedge/machinery";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import { expect, it } from "vitest";
import { isSameToPolicies, policyPods, type LocalPods } from "./policy-pods.ts";

const nobody: LocalPods = { nodeName: "here", addresses: new Map(), lastSeen: new Map() };

it.each<[string, Fields, string | undefined]>([
  ["one that runs", { podIP: "10.0.0.5" }, "10.0.0.5"],
  ["not one without an address", {}, undefined],
  [
    "not one that has ended: its address is another's soon",
    { podIP: "10.0.0.5", phase: "Succeeded" },
    undefined,
  ],
  ["not one that has failed", { podIP: "10.0.0.5", phase: "Failed" }, undefined],
  ["not one on the host's network", { podIP: "10.0.0.1", hostNetwork: true }, undefined],
  ["not one of the sixth version", { podIP: "fd00::5" }, undefined],
])("pods are %s", (_name, fields, address) => {
  expect(policyPods([pod("a", fields)], nobody).map((one) => one.address)).toEqual(
    address === undefined ? [] : [address],
  );
});

it("one of this node has its address as soon as it is attached, before its status says so", () => {
  const local = { ...nobody, addresses: new Map([["a", "10.0.0.9"]]) };
  expect(policyPods([pod("a", { nodeName: "here" })], local)).toMatchObject([
    { address: "10.0.0.9", isLocal: true },
  ]);
});

it("of two that claim an address, the newer one has it, and on this node who was attached", () => {
  const [old, young] = [
    pod("old", { podIP: "10.0.0.5", created: "2026-01-01T00:00:00Z", nodeName: "here" }),
    pod("young", { podIP: "10.0.0.5", created: "2026-01-02T00:00:00Z" }),
  ];
  expect(policyPods([young, old], nobody).map(({ uid }) => uid)).toEqual(["young"]);
  const local = { ...nobody, addresses: new Map([["old", "10.0.0.5"]]) };
  for (const order of [
    [young, old],
    [old, young],
  ])
    expect(policyPods(order, local).map(({ uid }) => uid)).toEqual(["old"]);
});

it("one that was deleted stays what it was until its network is gone", () => {
  const addresses = new Map([["a", "10.0.0.9"]]);
  const [seen] = policyPods([pod("a", { nodeName: "here" })], { ...nobody, addresses });
  if (seen === undefined) throw new Error("it was not seen");
  const lastSeen = new Map([["a", seen]]);
  expect(policyPods([], { ...nobody, addresses, lastSeen })).toEqual([seen]);
  expect(policyPods([], { ...nobody, lastSeen })).toEqual([]);
});

it("has the named ports of containers and sidecars, not of those that only come first", () => {
  const ports = (name: string, containerPort: number) => [{ name, containerPort, protocol: "UDP" }];
  const found = policyPods(
    [
      pod("a", {
        podIP: "10.0.0.5",
        containers: [{ name: "c", image: "c", ports: [...ports("dns", 53), { containerPort: 80 }] }],
        initContainers: [
          { name: "s", image: "s", restartPolicy: "Always", ports: ports("side", 54) },
          { name: "i", image: "i", ports: ports("first", 55) },
        ],
      }),
    ],
    nobody,
  );
  expect(found[0]?.ports).toEqual([
    { name: "dns", protocol: "udp", port: 53 },
    { name: "side", protocol: "udp", port: 54 },
  ]);
});

it.each<[string, Fields, boolean]>([
  ["nothing of a condition", {}, true],
  ["of a label", { labels: { app: "b" } }, false],
  ["of an address", { podIP: "10.0.0.6" }, false],
  ["of an end", { phase: "Failed" }, false],
  ["of a node", { nodeName: "there" }, false],
])("policies want to hear %s", (_name, fields, isSame) => {
  const base = { podIP: "10.0.0.5", phase: "Running", labels: { app: "a" } };
  expect(isSameToPolicies(pod("a", base), pod("a", { ...base, ...fields }))).toBe(isSame);
});

interface Fields {
  readonly podIP?: string;
  readonly phase?: string;
  readonly nodeName?: string;
  readonly hostNetwork?: boolean;
  readonly labels?: Record<string, string>;
  readonly created?: string;
  readonly containers?: NonNullable<Pod["spec"]>["containers"];
  readonly initContainers?: NonNullable<Pod["spec"]>["initContainers"];
}

function pod(uid: string, fields: Fields): DeepReadonly<Pod> {
  const { podIP, phase = "Running", created, labels, ...spec } = fields;
  const object: unknown = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: uid, namespace: "a", uid, creationTimestamp: created, labels },
    spec: { containers: [], ...spec },
    status: { phase, podIP },
  };
  if (!isPod(object)) throw new Error("no pod");
  return object;
}

function isPod(object: unknown): object is DeepReadonly<Pod> {
  return typeof object === "object" && object !== null && "kind" in object && object.kind === Pod.kind;
}
