import type { DeepReadonly } from "@kedge/machinery";
import type { Service } from "@kedge/machinery/kinds/core/v1";
import type { EndpointSlice } from "@kedge/machinery/kinds/discovery/v1";
import { describe, expect, it } from "vitest";
import { servicePorts } from "./service-endpoints.ts";

const service = (spec: object): DeepReadonly<Service> =>
  ({ metadata: { namespace: "default", name: "web" }, spec }) as unknown as Service;
const slice = (endpoints: object[], more: object = {}): DeepReadonly<EndpointSlice> =>
  ({
    metadata: { namespace: "default", name: "web-1", labels: { "kubernetes.io/service-name": "web" } },
    addressType: "IPv4",
    ports: [{ name: "http", port: 8080 }],
    endpoints,
    ...more,
  }) as unknown as EndpointSlice;
const ports = [{ name: "http", port: 80, protocol: "TCP" }];

describe("service ports", () => {
  it("lead to the ready endpoints' target port", () => {
    const found = servicePorts(
      [service({ clusterIP: "10.96.0.5", ports })],
      [
        slice([
          { addresses: ["10.244.0.12"] },
          { addresses: ["10.244.0.11"], conditions: { ready: true } },
          { addresses: ["10.244.0.13"], conditions: { ready: false } },
        ]),
      ],
    );
    expect(found).toEqual([
      {
        name: "default/web:http",
        protocol: "tcp",
        clusterAddress: "10.96.0.5",
        port: 80,
        nodePort: 0,
        endpoints: [
          { address: "10.244.0.11", port: 8080 },
          { address: "10.244.0.12", port: 8080 },
        ],
      },
    ]);
  });

  it("lead to leaving endpoints while no other is left", () => {
    const leaving = {
      addresses: ["10.244.0.11"],
      conditions: { ready: false, serving: true, terminating: true },
    };
    const [port] = servicePorts([service({ clusterIP: "10.96.0.5", ports })], [slice([leaving])]);
    expect(port?.endpoints).toHaveLength(1);
    const [both] = servicePorts(
      [service({ clusterIP: "10.96.0.5", ports })],
      [slice([leaving, { addresses: ["10.244.0.12"] }])],
    );
    expect(both?.endpoints).toEqual([{ address: "10.244.0.12", port: 8080 }]);
  });

  it.each([
    ["a headless service", service({ clusterIP: "None", ports })],
    ["a service without an address", service({ type: "ExternalName", ports })],
    [
      "a protocol that is not carried",
      service({ clusterIP: "10.96.0.5", ports: [{ port: 1, protocol: "SCTP" }] }),
    ],
  ])("does not exist for %s", (_name, one) => {
    expect(servicePorts([one], [])).toEqual([]);
  });

  it("takes no endpoints of another service, port or family", () => {
    const one = service({ clusterIP: "10.96.0.5", ports });
    const others = [
      slice([{ addresses: ["10.244.0.1"] }], {
        metadata: { namespace: "other", name: "x", labels: { "kubernetes.io/service-name": "web" } },
      }),
      slice([{ addresses: ["10.244.0.1"] }], { ports: [{ name: "admin", port: 1 }] }),
      slice([{ addresses: ["fd00::1"] }], { addressType: "IPv6" }),
    ];
    expect(servicePorts([one], others)[0]?.endpoints).toEqual([]);
  });
});
