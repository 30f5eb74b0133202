import type { DeepReadonly } from "@kedge/machinery";
import type { Service } from "@kedge/machinery/kinds/core/v1";
import type { EndpointSlice } from "@kedge/machinery/kinds/discovery/v1";
import { describe, expect, it } from "vitest";
import { servicePorts, type ServicePort } from "./service-ports.ts";
import { servicePort } from "./testing/service-port.ts";

const service = (spec: object, more: object = {}): DeepReadonly<Service> =>
  ({ metadata: { namespace: "default", name: "web" }, spec, ...more }) as unknown as Service;
const slice = (endpoints: object[], more: object = {}): DeepReadonly<EndpointSlice> =>
  ({
    metadata: { namespace: "default", name: "web-1", labels: { "kubernetes.io/service-name": "web" } },
    addressType: "IPv4",
    ports: [{ name: "http", port: 8080 }],
    endpoints,
    ...more,
  }) as unknown as EndpointSlice;
const ports = [{ name: "http", port: 80, protocol: "TCP" }];
const plain = service({ clusterIP: "10.96.0.5", ports });
const at = (last: number, more: object = {}): object => ({ addresses: [`10.244.0.${last}`], ...more });
const unready = { conditions: { ready: false, serving: false, terminating: false } };
const leaving = { conditions: { ready: false, serving: true, terminating: true } };
const here = { nodeName: "a" };

/** The last numbers of the addresses that are led to. */
function chosen(endpoints: object[], place: object = {}): { cluster: string[]; local: string[] } {
  const [port] = servicePorts([plain], [slice(endpoints)], place);
  const last = (list: ServicePort["endpoints"]["cluster"] = []): string[] =>
    list.map(({ address }) => address.split(".")[3] ?? "");
  return { cluster: last(port?.endpoints.cluster), local: last(port?.endpoints.local) };
}

describe("service ports", () => {
  it("lead to the ready endpoints' target port", () => {
    const found = servicePorts(
      [plain],
      [slice([at(12), at(11, { conditions: { ready: true } }), at(13, unready)])],
      {},
    );
    const cluster = [
      { address: "10.244.0.11", port: 8080 },
      { address: "10.244.0.12", port: 8080 },
    ];
    expect(found).toEqual([servicePort({ endpoints: { cluster, local: [] } })]);
  });

  it("have what the service says of addresses, policies and clients", () => {
    const spec = {
      type: "LoadBalancer",
      clusterIP: "10.96.0.5",
      ports: [{ ...ports[0], nodePort: 30_080, protocol: "UDP" }],
      externalIPs: ["192.0.2.1", "2001:db8::1"],
      loadBalancerSourceRanges: [" 10.0.0.0/8 ", "fd00::/8"],
      internalTrafficPolicy: "Local",
      externalTrafficPolicy: "Local",
      sessionAffinity: "ClientIP",
    };
    const ingress = [
      { ip: "10.244.254.1", ipMode: "VIP" },
      { ip: "10.244.254.2", ipMode: "Proxy" },
      { hostname: "x" },
    ];
    const status = { loadBalancer: { ingress } };
    expect(servicePorts([service(spec, { status })], [], {})).toMatchObject([
      {
        protocol: "udp",
        nodePort: 30_080,
        externalAddresses: ["192.0.2.1"],
        balancerAddresses: ["10.244.254.1"],
        sourceRanges: ["10.0.0.0/8"],
        internalLocal: true,
        externalLocal: true,
        affinitySeconds: 10_800,
      },
    ]);
    const changed = {
      ...spec,
      type: "NodePort",
      sessionAffinityConfig: { clientIP: { timeoutSeconds: 5 } },
      loadBalancerSourceRanges: ["0.0.0.0/0", "10.0.0.0/8"],
    };
    expect(servicePorts([service(changed, { status })], [], {})).toMatchObject([
      { affinitySeconds: 5, balancerAddresses: [], sourceRanges: [] },
    ]);
  });

  it.each([
    ["a headless service", service({ clusterIP: "None", ports })],
    ["a service without an address", service({ type: "ExternalName", ports })],
    [
      "a service that another proxy leads",
      service(
        { clusterIP: "10.96.0.5", ports },
        {
          metadata: {
            namespace: "default",
            name: "web",
            labels: { "service.kubernetes.io/service-proxy-name": "x" },
          },
        },
      ),
    ],
  ])("do not exist for %s", (_name, one) => {
    expect(servicePorts([one], [], {})).toEqual([]);
  });

  it("take no endpoints of another service, port or family", () => {
    const others = [
      slice([at(1)], {
        metadata: { namespace: "other", name: "x", labels: { "kubernetes.io/service-name": "web" } },
      }),
      slice([at(1)], { ports: [{ name: "admin", port: 1 }] }),
      slice([{ addresses: ["fd00::1"] }], { addressType: "IPv6" }),
    ];
    expect(servicePorts([plain], others, {})[0]?.endpoints).toEqual({ cluster: [], local: [] });
  });

  it.each<[string, object[], object, { cluster: string[]; local: string[] }]>([
    [
      "leaving ones while no other is left",
      [at(1, leaving), at(2, unready)],
      {},
      { cluster: ["1"], local: [] },
    ],
    ["no leaving ones beside ready ones", [at(1, leaving), at(2)], {}, { cluster: ["2"], local: [] }],
    [
      "one that is in two slices' worth of states as ready",
      [at(1), at(1, leaving), at(2, leaving), at(2)],
      {},
      { cluster: ["1", "2"], local: [] },
    ],
    [
      "those of the node apart from the others, leaving ones among them when it has no other",
      [at(1, { nodeName: "a", ...leaving }), at(2, { nodeName: "b" })],
      here,
      { cluster: ["2"], local: ["1"] },
    ],
    [
      "those that are meant for the node",
      [at(1, { hints: { forNodes: [{ name: "a" }] } }), at(2, { hints: { forNodes: [{ name: "b" }] } })],
      here,
      { cluster: ["1"], local: [] },
    ],
    [
      "those that are meant for the zone, when none is for the node",
      [
        at(1, { hints: { forNodes: [{ name: "b" }], forZones: [{ name: "z" }] } }),
        at(2, { hints: { forNodes: [{ name: "c" }], forZones: [{ name: "y" }] } }),
      ],
      { ...here, zone: "z" },
      { cluster: ["1"], local: [] },
    ],
    [
      "all when one has no hint",
      [at(1, { hints: { forZones: [{ name: "z" }] } }), at(2)],
      { ...here, zone: "z" },
      { cluster: ["1", "2"], local: [] },
    ],
    [
      "all when none is for the zone",
      [at(1, { hints: { forZones: [{ name: "y" }] } })],
      { ...here, zone: "z" },
      { cluster: ["1"], local: [] },
    ],
    [
      "hints of endpoints that are not ready do not count",
      [at(1, { hints: { forZones: [{ name: "z" }] } }), at(2, unready), at(3, leaving)],
      { zone: "z" },
      { cluster: ["1"], local: [] },
    ],
  ])("choose %s", (_name, endpoints, place, expected) => {
    expect(chosen(endpoints, place)).toEqual(expected);
  });
});
