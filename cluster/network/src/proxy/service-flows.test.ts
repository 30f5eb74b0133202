import { expect, it } from "vitest";
import { serviceFlows } from "./service-flows.ts";
import { network, servicePort } from "./testing/service-port.ts";

const [one, two] = [
  { address: "10.244.0.11", port: 5300 },
  { address: "10.244.1.12", port: 5300 },
];
const dns = servicePort({ protocol: "udp", port: 53, endpoints: { cluster: [one, two], local: [one] } });

it("lead from each address of a service to each of its endpoints, once", () => {
  const everywhere = {
    ...dns,
    nodePort: 30_053,
    externalAddresses: ["192.0.2.1"],
    balancerAddresses: ["192.0.2.2"],
    endpoints: { cluster: [two], local: [two] },
  };
  const { places, led } = serviceFlows(network, [everywhere], [everywhere]);
  expect(places).toEqual(["10.96.0.5 53", "192.0.2.1 53", "192.0.2.2 53", "* 30053"]);
  expect(led).toEqual(places.map((place) => `${place} 10.244.1.12 5300`));
});

it("lead to endpoints that are used on their own node only", () => {
  const local = { ...dns, endpoints: { cluster: [two], local: [one] } };
  expect(serviceFlows(network, [], [local]).led).toEqual([
    "10.96.0.5 53 10.244.1.12 5300",
    "10.96.0.5 53 10.244.0.11 5300",
  ]);
});

it.each([
  ["a service that is gone", [dns], [], { places: ["10.96.0.5 53"], led: [] }],
  [
    "a service without endpoints",
    [],
    [{ ...dns, endpoints: { cluster: [], local: [] } }],
    { places: ["10.96.0.5 53"], led: [] },
  ],
  ["a service of connections", [servicePort()], [servicePort()], { places: [], led: [] }],
])("lead nowhere from %s", (_name, before, now, flows) => {
  expect(serviceFlows(network, before, now)).toMatchObject(flows);
});

it("are all that there is in the ranges of services and load balancers", () => {
  expect(serviceFlows(network, [], [])).toMatchObject({
    serviceRanges: ["10.96.0.0/16", "10.244.254.0/24"],
    podRange: "10.244.0.0/16",
  });
});
