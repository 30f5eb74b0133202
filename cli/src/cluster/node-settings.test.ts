import { networkNames, overlap, parseRange } from "@kedge/network";
import { expect, it } from "vitest";
import { clusterFolder } from "./cluster-folder.ts";
import { nodeRole } from "./launch-part.ts";
import { kubeconfigOf } from "./kubeconfigs.ts";
import { nodeFolder } from "./node-folder.ts";
import { newNode, nodeAddress, onlyNode, type NodeSettings } from "./node-settings.ts";

const cluster = { id: "3fa9c1", podRange: "10.244.0.0/16" };

it.each<[string, NodeSettings]>([
  ["new cluster", newNode({ ...cluster, nodes: [] }, "kedge")],
  ["cluster from before there was a list", onlyNode(cluster, "kedge")],
])("gives a second node of a %s nothing that the first has", (_name, first) => {
  const second = newNode({ ...cluster, nodes: [first] }, "kedge-2");
  const [ranges, folder] = [[first, second].map(({ podCIDR }) => parseRange(podCIDR)), clusterFolder("/x")];
  expect([first.podCIDR, second.podCIDR]).toEqual(["10.244.0.0/24", "10.244.1.0/24"]);
  expect(ranges.every((range) => overlap(range, parseRange(cluster.podRange)))).toBe(true);
  expect([nodeAddress(first), nodeAddress(second)]).toEqual(["10.244.0.1", "10.244.1.1"]);
  expect(Object.values<string>({ ...nodeFolder(folder, second) })).toEqual([
    "/x/nodes/kedge-2/node",
    "/x/nodes/kedge-2/node/containers",
    "/x/nodes/kedge-2/network",
    "/x/nodes/kedge-2/volumes",
  ]);
  const all = (node: NodeSettings): readonly string[] => [
    ...Object.values<string>({ ...nodeFolder(folder, node) }),
    kubeconfigOf(folder, { node: node.name }),
    nodeRole(node.name),
    networkNames({ id: node.networkId }).bridge,
    networkNames({ id: node.networkId }).vethPrefix,
  ];
  expect(all(first).filter((one) => all(second).includes(one))).toEqual([]);
});

it("takes the first addresses that are free, and says when none are", () => {
  // The last 256 are the machine's, those before them the load balancers'.
  const small = { ...cluster, podRange: "10.244.0.0/22" };
  const first = newNode({ ...small, nodes: [] }, "a");
  const second = newNode({ ...small, nodes: [first] }, "b");
  // The first is gone.
  const third = newNode({ ...small, nodes: [second] }, "c");
  expect(third.podCIDR).toBe("10.244.0.0/24");
  expect(() => newNode({ ...small, nodes: [second, third] }, "d")).toThrow(
    "no part of the pods' addresses 10.244.0.0/22 is left for another node",
  );
});
