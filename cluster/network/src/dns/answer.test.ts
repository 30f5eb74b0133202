import type { Service } from "@kedge/machinery/kinds/core/v1";
import type { EndpointSlice } from "@kedge/machinery/kinds/discovery/v1";
import { describe, expect, it } from "vitest";
import { answer } from "./answer.ts";
import type { ClusterNames } from "./cluster-names.ts";

const service = (name: string, spec: object): Service =>
  ({ metadata: { namespace: "default", name }, spec }) as unknown as Service;
const ports = [{ name: "redis", port: 6379, protocol: "TCP" }];
const services = [
  service("web", { clusterIP: "10.96.0.5", ports }),
  service("cache", { clusterIP: "None", ports }),
  service("empty", { clusterIP: "None", ports }),
  service("nameless", { clusterIP: "10.96.0.6", ports: [{ port: 80, protocol: "TCP" }] }),
  service("away", { type: "ExternalName", externalName: "example.com" }),
  service("other-cache", { type: "ExternalName", externalName: "cache.default.svc.cluster.local" }),
  service("alias-of-alias", { type: "ExternalName", externalName: "other-cache.default.svc.cluster.local." }),
  service("far-alias", { type: "ExternalName", externalName: "away.default.svc.cluster.local" }),
  service("self", { type: "ExternalName", externalName: "self.default.svc.cluster.local" }),
];
const slice = {
  metadata: { namespace: "default", name: "cache-1", labels: { "kubernetes.io/service-name": "cache" } },
  addressType: "IPv4",
  ports: [{ name: "redis", port: 6380 }],
  endpoints: [
    { addresses: ["10.244.0.11"], hostname: "cache-0" },
    { addresses: ["10.244.0.12"], conditions: { ready: true } },
    { addresses: ["10.244.0.13"], hostname: "cache-2", conditions: { ready: false } },
  ],
} as unknown as EndpointSlice;

/** Of the service with an address. */
const webSlice = {
  metadata: { namespace: "default", name: "web-1", labels: { "kubernetes.io/service-name": "web" } },
  addressType: "IPv4",
  ports: [{ name: "redis", port: 6380 }],
  endpoints: [{ addresses: ["10.244.0.21"], hostname: "web-0" }, { addresses: ["10.244.0.22"] }],
} as unknown as EndpointSlice;

const names: ClusterNames = {
  service: (namespace, name) =>
    services.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name),
  slices: (_namespace, name) => (name === "cache" ? [slice] : name === "web" ? [webSlice] : []),
  serviceAt: (address) => services.find(({ spec }) => spec?.clusterIP === address),
  isComplete: () => true,
  slicesAt: (address) =>
    address.startsWith("10.244.0.1") ? [slice] : address.startsWith("10.244.0.2") ? [webSlice] : [],
};

/** What a question gets, in one line. */
function ask(name: string, type = "A"): string {
  const got = answer({ name, type, domain: "cluster.local", names });
  if (got.outcome !== "found") return got.outcome;
  return got.records
    .map((record) => {
      if (record.type === "A") return record.address;
      if (record.type === "SRV") return `${record.port} ${record.target}`;
      return record.type === "TXT" ? record.text : record.target;
    })
    .join(", ");
}

describe("names of the cluster", () => {
  it.each([
    ["a service is its address", "web.default.svc.cluster.local", "A", "10.96.0.5"],
    ["case and a last dot do not matter", "WEB.default.SVC.cluster.local.", "A", "10.96.0.5"],
    [
      "a headless service is its ready pods",
      "cache.default.svc.cluster.local",
      "A",
      "10.244.0.11, 10.244.0.12",
    ],
    ["a pod of a headless service has a name", "cache-0.cache.default.svc.cluster.local", "A", "10.244.0.11"],
    [
      "a pod without a hostname has its address",
      "10-244-0-12.cache.default.svc.cluster.local",
      "A",
      "10.244.0.12",
    ],
    ["a pod that is not ready has none", "cache-2.cache.default.svc.cluster.local", "A", "no such name"],
    ["a headless service without pods exists", "empty.default.svc.cluster.local", "A", ""],
    ["there is no IPv6", "web.default.svc.cluster.local", "AAAA", ""],
    ["no such service", "nobody.default.svc.cluster.local", "A", "no such name"],
    ["no such namespace", "web.other.svc.cluster.local", "A", "no such name"],
    [
      "a pod of a service with an address has a name, too, as CoreDNS has it",
      "web-0.web.default.svc.cluster.local",
      "A",
      "10.244.0.21",
    ],
    ["nothing else below a service with an address", "x.web.default.svc.cluster.local", "A", "no such name"],
    ["another name is an alias", "away.default.svc.cluster.local", "A", "example.com"],
    [
      "an alias comes with what it leads to",
      "other-cache.default.svc.cluster.local",
      "A",
      "cache.default.svc.cluster.local, 10.244.0.11, 10.244.0.12",
    ],
    [
      "an alias of an alias, too",
      "alias-of-alias.default.svc.cluster.local",
      "A",
      "other-cache.default.svc.cluster.local., cache.default.svc.cluster.local, 10.244.0.11, 10.244.0.12",
    ],
    [
      "who asks for an alias gets it alone",
      "other-cache.default.svc.cluster.local",
      "CNAME",
      "cache.default.svc.cluster.local",
    ],
    [
      "a port of a service",
      "_redis._tcp.web.default.svc.cluster.local",
      "SRV",
      "6379 web.default.svc.cluster.local",
    ],
    ["a port without a name", "_._tcp.nameless.default.svc.cluster.local", "SRV", "no such name"],
    ["a port that is not there", "_http._tcp.web.default.svc.cluster.local", "SRV", "no such name"],
    [
      "ports of a headless service",
      "_redis._tcp.cache.default.svc.cluster.local",
      "SRV",
      "6380 cache-0.cache.default.svc.cluster.local, 6380 10-244-0-12.cache.default.svc.cluster.local",
    ],
    ["names above services exist", "default.svc.cluster.local", "A", ""],
    ["names beside them do not", "x.cluster.local", "A", "no such name"],
    ["a pod by its address", "10-244-0-9.default.pod.cluster.local", "A", "10.244.0.9"],
    ["the version of these rules", "dns-version.cluster.local", "TXT", "1.1.0"],
    ["other names are others'", "debian.org", "A", "elsewhere"],
    ["a name that only ends alike is others'", "mycluster.local", "A", "elsewhere"],
    ["a service by its address", "5.0.96.10.in-addr.arpa", "PTR", "web.default.svc.cluster.local"],
    [
      "a pod by its address, back",
      "11.0.244.10.in-addr.arpa",
      "PTR",
      "cache-0.cache.default.svc.cluster.local",
    ],
    [
      "a pod of a service with an address by its address, when it has a name",
      "21.0.244.10.in-addr.arpa",
      "PTR",
      "web-0.web.default.svc.cluster.local",
    ],
    ["one that has none is nobody's", "22.0.244.10.in-addr.arpa", "PTR", "elsewhere"],
    ["other addresses are others'", "8.8.8.8.in-addr.arpa", "PTR", "elsewhere"],
  ])("%s", (_title, name, type, expected) => {
    expect(ask(name, type)).toBe(expected);
  });

  it("sends the addresses along with the ports", () => {
    const got = answer({
      name: "_redis._tcp.cache.default.svc.cluster.local",
      type: "SRV",
      domain: "cluster.local",
      names,
    });
    expect(got).toMatchObject({
      additional: [{ type: "A", address: "10.244.0.11" }, { address: "10.244.0.12" }],
    });
  });

  it("says where an alias leads that another server knows, and follows none for ever", () => {
    const leadsTo = (name: string): unknown => {
      const got = answer({
        name: `${name}.default.svc.cluster.local`,
        type: "A",
        domain: "cluster.local",
        names,
      });
      return got.outcome === "found" ? [got.leadsTo, got.records.length] : got.outcome;
    };
    expect(leadsTo("far-alias")).toEqual(["example.com", 2]);
    expect(leadsTo("other-cache")).toEqual([undefined, 3]);
    expect(leadsTo("self")).toEqual([undefined, 9]);
  });
});
