import type { Pod } from "@kedge/machinery/kinds/core/v1";
import { expect, it } from "vitest";
import { node, pod } from "../testing/builders.ts";
import { missingNodes, planPodGc, type PodGcFacts } from "./plan.ts";

const outOfService = { taints: [{ key: "node.kubernetes.io/out-of-service", effect: "NoExecute" }] };
const nodes = new Map(
  [
    node("node-1", "True"),
    node("down", "Unknown"),
    node("gone-bad", "Unknown", { spec: outOfService }),
    node("repaired", "True", { spec: outOfService }),
  ].map((one) => [one.metadata.name, one]),
);
const evicted = (name: string): Pod => {
  const plain = pod(name, { phase: "Failed", age: 5 });
  return { ...plain, status: { ...plain.status, reason: "Evicted" } };
};

it.each<[string, Partial<PodGcFacts> & { readonly threshold?: number }, readonly string[]]>([
  ["pods that run are left alone", { pods: [pod("a"), pod("b", { terminating: true })] }, []],
  [
    "a pod that was deleted before it had a node goes",
    { pods: [pod("a", { node: "", terminating: true }), pod("b", { node: "" })] },
    ["a terminating-unscheduled"],
  ],
  [
    "pods of a node that is gone go",
    { pods: [pod("a", { node: "lost" }), pod("b", { node: "maybe" })], goneNodes: new Set(["lost"]) },
    ["a orphaned"],
  ],
  [
    "a pod of a silent node stays, also when it was deleted",
    { pods: [pod("a", { node: "down", terminating: true })] },
    [],
  ],
  [
    "a pod of a node that is out of service goes once it was deleted",
    { pods: [pod("a", { node: "gone-bad", terminating: true }), pod("b", { node: "gone-bad" })] },
    ["a out-of-service"],
  ],
  ["unless the node is ready", { pods: [pod("a", { node: "repaired", terminating: true })] }, []],
  [
    "of pods that have ended the evicted and then the oldest go",
    {
      pods: [
        pod("young", { phase: "Succeeded", age: 10 }),
        pod("old", { phase: "Failed", age: 30 }),
        pod("older", { phase: "Succeeded", age: 40 }),
        evicted("evicted"),
        pod("runs", { age: 100 }),
      ],
      threshold: 2,
    },
    ["older terminated", "evicted terminated"],
  ],
  ["none when there is no threshold", { pods: [evicted("a")], threshold: 0 }, []],
])("%s", (_title, { pods = [], goneNodes = new Set(), threshold = 100 }, expected) => {
  const plan = planPodGc({ pods, nodes, goneNodes }, { terminatedThreshold: threshold });
  expect(plan.map(({ pod: { metadata }, reason }) => `${metadata.name} ${reason}`)).toEqual(expected);
});

it("nodes that the cache does not know are those of pods only", () => {
  const pods = [pod("a", { node: "lost" }), pod("b"), pod("c", { node: "" })];
  expect([...missingNodes({ pods, nodes })]).toEqual(["lost"]);
});
