import { seededRandom } from "@kedge/machinery";
import { expect, it } from "vitest";
import { newSettings } from "./cluster-settings.ts";
import { nodeNetwork } from "./node-network.ts";
import { newNode } from "./node-settings.ts";

const ranges = { podRange: "10.244.0.0/16", serviceRange: "10.96.0.0/16" };

it("knows the cluster's other nodes, whose pods are let in", () => {
  const one = newSettings(ranges, seededRandom(1));
  const [first] = one.nodes;
  const second = newNode(one, "second");
  const two = { ...one, nodes: [...one.nodes, second] };
  expect(first && nodeNetwork(one, first).otherNodes).toEqual([]);
  expect(first && nodeNetwork(two, first).otherNodes).toEqual([second.networkId]);
  expect(nodeNetwork(two, second).otherNodes).toEqual([first?.networkId]);
});
