import { seededRandom } from "@kedge/machinery";
import { overlap, parseRange } from "@kedge/network";
import { expect, it } from "vitest";
import { newSettings, withNodes, type ClusterSettings } from "./cluster-settings.ts";
import { simulatedRanges } from "./simulated-cluster.ts";
import {
  machineAddress,
  machineNetwork,
  namespaceOfNode,
  nodeNetwork,
  serverForNodes,
} from "./node-network.ts";

const ranges = { podRange: "10.244.0.0/16", serviceRange: "10.96.0.0/16" };
const one = newSettings(ranges, seededRandom(1));
const three = withNodes(one, 3);

it("leaves a single node in the machine's own network", () => {
  const [node] = each(one);
  expect(node).toMatchObject({
    id: one.id,
    uplink: undefined,
    namespace: undefined,
    podCIDR: "10.244.0.0/24",
  });
  expect(machineAddress(one)).toBe("10.244.0.1");
  expect(serverForNodes(one)).toBe("127.0.0.1");
});

it("gives each of several a namespace, and the machine addresses and names that none of them has", () => {
  const nodes = each(three);
  const all = [...nodes, machineNetwork(three)];
  expect(nodes.map(({ uplink }) => uplink)).toEqual(["eth0", "eth0", "eth0"]);
  expect(new Set(nodes.map(({ namespace }) => namespace)).size).toBe(3);
  expect(new Set(all.map(({ id }) => id)).size).toBe(4);
  const taken = all.map(({ podCIDR }) => parseRange(podCIDR));
  expect(taken.flatMap((a, i) => taken.slice(i + 1).filter((b) => overlap(a, b)))).toEqual([]);
  expect([machineAddress(three), serverForNodes(three)]).toEqual(["10.244.255.1", "10.244.255.1"]);
});

it("gives simulated nodes addresses where nobody is, and no namespace", () => {
  const simulated = withNodes(
    { ...newSettings(simulatedRanges, seededRandom(1)), runtime: "simulated" },
    400,
  );
  const nodes = each(simulated);
  expect(nodes.filter(({ uplink, namespace }) => (uplink ?? namespace) !== undefined)).toEqual([]);
  expect(new Set(nodes.map(({ podCIDR }) => podCIDR)).size).toBe(400);
  expect(nodes.at(-1)?.podCIDR).toBe("240.1.143.0/24");
  expect(serverForNodes(simulated)).toBe("127.0.0.1");
});

function each(settings: ClusterSettings) {
  return settings.nodes.map((node) => ({
    uplink: undefined,
    ...nodeNetwork(settings, node),
    namespace: namespaceOfNode(settings, node),
  }));
}
