import { expect, it } from "vitest";
import { staleFlows } from "./forget-flows.ts";
import { servicePort } from "./testing/service-port.ts";

const [one, two] = [
  { address: "10.244.0.11", port: 5300 },
  { address: "10.244.1.12", port: 5300 },
];
const dns = servicePort({ protocol: "udp", port: 53, endpoints: { cluster: [one, two], local: [one] } });

it("are those to an endpoint that is gone, at each address of the service", () => {
  const before = {
    ...dns,
    nodePort: 30_053,
    externalAddresses: ["192.0.2.1"],
    balancerAddresses: ["192.0.2.2"],
  };
  const now = { ...before, endpoints: { cluster: [two], local: [] } };
  expect(new Set(staleFlows([before], [now]).map(({ address, port }) => `${address}:${port}`))).toEqual(
    new Set(["10.96.0.5:53", "192.0.2.1:53", "192.0.2.2:53", "*:30053"]),
  );
  expect(staleFlows([before], [now]).every(({ endpoint }) => endpoint === one)).toBe(true);
});

it.each([
  ["of an endpoint that came", [{ ...dns, endpoints: { cluster: [one], local: [] } }], [dns], 0],
  [
    "of an endpoint that is used on its own node only",
    [dns],
    [{ ...dns, endpoints: { cluster: [two], local: [one] } }],
    0,
  ],
  ["of a service that is gone", [dns], [], 3],
  ["of connections", [{ ...dns, protocol: "tcp" as const }], [], 0],
])("%s", (_name, before, now, count) => {
  expect(staleFlows(before, now)).toHaveLength(count);
});
