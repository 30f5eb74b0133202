import type { Pod, Service } from "@kedge/machinery/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { pod, stored, type PodSetup } from "../testing/builders.ts";
import { endpointGroups } from "./endpoints.ts";

function service(spec: Partial<NonNullable<Service["spec"]>> = {}): Service {
  const ports = [{ name: "http", port: 80, targetPort: "http" }];
  return { apiVersion: "v1", kind: "Service", metadata: stored("web"), spec: { ports, ...spec } };
}

interface Backend extends PodSetup {
  readonly address?: string;
  readonly port?: number;
  readonly hostname?: string;
  readonly subdomain?: string;
}

function backend(name: string, setup: Backend = {}): Pod {
  const { address = "10.0.0.1", port = 8080, hostname, subdomain, ...rest } = setup;
  const base = pod(name, { readyFor: 1, ...rest });
  const containers = [{ name: "main", image: "main:1", ports: [{ name: "http", containerPort: port }] }];
  const named = hostname === undefined ? {} : { hostname, subdomain };
  return {
    ...base,
    spec: { ...base.spec, ...named, containers },
    status: { ...base.status, podIP: address },
  };
}

describe("the endpoints of a service", () => {
  const only = (setup: Backend, spec = {}): unknown =>
    endpointGroups(service(spec), [backend("a", setup)])[0]?.endpoints[0];

  it("are pods with an address, on their node", () => {
    expect(only({})).toEqual({
      addresses: ["10.0.0.1"],
      conditions: { ready: true, serving: true, terminating: false },
      nodeName: "node-1",
      targetRef: { kind: "Pod", namespace: "default", name: "a", uid: "a-uid" },
    });
  });

  it.each<[string, Backend]>([
    ["without an address", { address: "" }],
    ["that failed", { phase: "Failed" }],
    ["that succeeded", { phase: "Succeeded" }],
  ])("are no pods %s", (_name, setup) => {
    expect(endpointGroups(service(), [backend("a", setup)])).toEqual([]);
  });

  const unready = { readyFor: undefined };
  it.each<[string, Backend, object, object]>([
    [
      "a pod that does not serve is not ready",
      unready,
      {},
      { ready: false, serving: false, terminating: false },
    ],
    [
      "but it is published where that is asked for",
      unready,
      { publishNotReadyAddresses: true },
      { ready: true, serving: false, terminating: false },
    ],
    [
      "a pod on its way out may serve but is not ready",
      { terminating: true },
      {},
      { ready: false, serving: true, terminating: true },
    ],
  ])("%s", (_name, setup, spec, conditions) => {
    expect(only(setup, spec)).toMatchObject({ conditions });
  });

  it.each<[string, Backend, string | undefined]>([
    ["a pod of this subdomain has its host name", { hostname: "db-0", subdomain: "web" }, "db-0"],
    ["a pod of another subdomain has none", { hostname: "db-0", subdomain: "other" }, undefined],
  ])("%s", (_name, setup, hostname) => {
    expect(only(setup)).toHaveProperty("addresses");
    expect(endpointGroups(service(), [backend("a", setup)])[0]?.endpoints[0]?.hostname).toBe(hostname);
  });

  const zones: Readonly<Record<string, string>> = { "node-1": "z" };
  it.each<[string, object, Backend, object]>([
    ["is told, without a wish for it", {}, {}, { zone: "z" }],
    [
      "is meant for its zone where that is preferred",
      { trafficDistribution: "PreferClose" },
      {},
      { zone: "z", hints: { forZones: [{ name: "z" }] } },
    ],
    [
      "is meant for its node where that is preferred, then for its zone",
      { trafficDistribution: "PreferSameNode" },
      {},
      { zone: "z", hints: { forZones: [{ name: "z" }], forNodes: [{ name: "node-1" }] } },
    ],
    [
      "on a node of no zone is meant for the node only",
      { trafficDistribution: "PreferSameNode" },
      { node: "node-2" },
      { hints: { forNodes: [{ name: "node-2" }] } },
    ],
    [
      "is meant for nobody when it is not ready",
      { trafficDistribution: "PreferSameZone" },
      unready,
      { zone: "z" },
    ],
  ])("one in a zone %s", (_name, spec, setup, expected) => {
    const [group] = endpointGroups(service(spec), [backend("a", setup)], (node) => zones[node]);
    const { zone, hints } = group?.endpoints[0] ?? {};
    expect({ ...(zone !== undefined && { zone }), ...(hints !== undefined && { hints }) }).toEqual(expected);
  });

  it("are apart by what a port's name means in each pod", () => {
    const pods = [backend("b", { port: 9090 }), backend("c"), backend("a")];
    const groups = endpointGroups(service(), pods);
    expect(
      groups.map(({ ports, endpoints }) => [
        ports[0]?.port,
        endpoints.map(({ targetRef }) => targetRef?.name),
      ]),
    ).toEqual([
      [8080, ["a", "c"]],
      [9090, ["b"]],
    ]);
  });

  it.each<[string, object, unknown]>([
    ["a number is itself", { port: 80, targetPort: 1234 }, [{ name: "", port: 1234, protocol: "TCP" }]],
    ["without a target it is the port itself", { port: 80 }, [{ name: "", port: 80, protocol: "TCP" }]],
    ["a name that the pod does not have is left out", { port: 80, targetPort: "other" }, []],
    ["a name of another protocol is left out", { port: 80, targetPort: "http", protocol: "UDP" }, []],
    [
      "what is spoken is told",
      { name: "x", port: 80, appProtocol: "http2" },
      [{ name: "x", port: 80, protocol: "TCP", appProtocol: "http2" }],
    ],
  ])("of a port: %s", (_name, port, expected) => {
    const subject = { ...service(), spec: { ports: [{ port: 0, ...port }] } };
    expect(endpointGroups(subject, [backend("a")])[0]?.ports).toEqual(expected);
  });
});
