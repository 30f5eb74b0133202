import { expect, it } from "vitest";
import { machineCIDR, machineNetworkId, nodeLink, nodeNamespace } from "./machine-network.ts";
import { networkNames } from "./names.ts";

it.each([
  ["10.244.0.0/16", "10.244.255.0/24"],
  ["10.244.0.0/23", "10.244.1.0/24"],
])("gives the machine the last addresses of %s", (podRange, expected) => {
  expect(machineCIDR(podRange)).toBe(expected);
});

it("names all of a machine's network by an id of its own", () => {
  const id = machineNetworkId("3fa9c1");
  expect(id).not.toBe("3fa9c1");
  const { namespacePrefix, vethPrefix } = networkNames({ id });
  expect(nodeNamespace(id, "kedge-2")).toBe(`${namespacePrefix}kedge-2`);
  expect(nodeLink(id, "kedge-2").startsWith(vethPrefix)).toBe(true);
  // What Linux allows.
  expect(nodeLink(id, "kedge-2")).toHaveLength(15);
  expect(nodeLink(id, "kedge-2")).not.toBe(nodeLink(id, "kedge-3"));
});
