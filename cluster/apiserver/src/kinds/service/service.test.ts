import { deepFreeze, isStatus, statusOf } from "@kedge/machinery";
import { Service } from "@kedge/machinery/kinds/core/v1";
import type { ServiceSpec } from "@kedge/machinery/kinds/core/v1";
import { describe, expect, test } from "vitest";
import type { ApiObject, StoredApiObject } from "../../registry/types.ts";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";
import { created, testContext, testResources } from "../testing/write-context.ts";
import { allErrors } from "../../write/errors-of.ts";
import { parseAddressRange } from "./address-range.ts";

const ports = [{ port: 80 }];

async function service(
  spec: Record<string, unknown>,
  stored: readonly StoredApiObject[] = [],
  { dryRun = false }: { readonly dryRun?: boolean } = {},
): Promise<Decoded<ServiceSpec>> {
  const resourceFor = testResources();
  const metadata = { name: "a", namespace: "ns" };
  const context = { ...testContext(stored, resourceFor), dryRun };
  const object = await created(resourceFor("Service"), { metadata, spec }, context);
  return decodedAs(Service, object).spec ?? {};
}

function taken(clusterIP: string, nodePort?: number): ApiObject {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: `at-${clusterIP}`, namespace: "ns" },
    spec: { clusterIP, clusterIPs: [clusterIP], ports: [{ port: 80, nodePort }] },
  };
}

describe("addresses of services", () => {
  test("a service gets one of the range, and its families", async () => {
    const spec = await service({ ports });
    expect(parseAddressRange("10.96.0.0/24").contains(spec.clusterIP ?? "")).toBe(true);
    expect(spec).toMatchObject({
      clusterIPs: [spec.clusterIP],
      ipFamilies: ["IPv4"],
      ipFamilyPolicy: "SingleStack",
      internalTrafficPolicy: "Cluster",
    });
  });

  test("a certain one can be asked for", async () => {
    expect(await service({ ports, clusterIP: "10.96.0.10" })).toMatchObject({
      clusterIP: "10.96.0.10",
      clusterIPs: ["10.96.0.10"],
    });
  });

  test.each([
    ["10.96.0.10", "failed to allocate IP 10.96.0.10: provided IP is already allocated"],
    ["192.0.2.5", "failed to allocate IP 192.0.2.5: the provided network does not match the current range"],
  ])("%s is refused", async (clusterIP, why) => {
    await expect(service({ ports, clusterIP }, [taken("10.96.0.10")])).rejects.toThrow(
      `Service "a" is invalid: spec.clusterIPs: Invalid value: ["${clusterIP}"]: ${why}`,
    );
  });

  test("two that are on their way get different ones, until none is left", async () => {
    const resourceFor = testResources();
    const context = testContext([], resourceFor);
    const make = async (): Promise<ApiObject> =>
      await created(
        resourceFor("Service"),
        { metadata: { name: "a", namespace: "ns" }, spec: { ports } },
        context,
      );
    const addresses = new Set<unknown>();
    for (let i = 0; i < 254; i++) addresses.add(decodedAs(Service, await make()).spec?.clusterIP);
    expect(addresses.size).toBe(254);
    await expect(make()).rejects.toThrow("range is full");
  });

  test("a headless service has none, and no ports", async () => {
    expect(await service({ clusterIP: "None", selector: { a: "b" } })).toMatchObject({
      clusterIP: "None",
      clusterIPs: ["None"],
      ipFamilies: ["IPv4"],
    });
    expect(await service({ clusterIP: "None" })).toMatchObject({
      ipFamilies: ["IPv4", "IPv6"],
      ipFamilyPolicy: "RequireDualStack",
    });
  });

  test("two families are refused where there is one", async () => {
    const refusal = await service({ ports, ipFamilyPolicy: "RequireDualStack" }).catch(statusOf);
    expect(isStatus(refusal) && refusal.message).toContain(
      "this cluster is not configured for dual-stack services",
    );
  });
});

describe("node ports", () => {
  test("a NodePort service gets one for each port", async () => {
    const spec = await service({
      type: "NodePort",
      ports: [
        { name: "a", port: 1 },
        { name: "b", port: 2 },
      ],
    });
    const given = (spec.ports ?? []).map((port) => port.nodePort ?? 0);
    expect(given.every((port) => port >= 30_000 && port <= 32_767)).toBe(true);
    expect(new Set(given).size).toBe(2);
  });

  test.each([
    [80, "provided port is not in the valid range. The range of valid ports is 30000-32767"],
    [30_080, "provided port is already allocated"],
  ])("%i is refused", async (nodePort, why) => {
    const spec = { type: "NodePort", ports: [{ port: 80, nodePort }] };
    await expect(service(spec, [taken("10.96.0.10", 30_080)])).rejects.toThrow(
      `spec.ports[0].nodePort: Invalid value: ${nodePort}: ${why}`,
    );
  });

  test("one that is only tried gets those that nobody can have", async () => {
    const two = [
      { name: "a", port: 1 },
      { name: "b", port: 2 },
    ];
    const tried = await service({ type: "NodePort", ports: two }, [], { dryRun: true });
    expect(tried.ports?.map(({ nodePort }) => nodePort)).toEqual([32_769, 32_770]);
  });

  test("a LoadBalancer that wants none gets only the one for its health check", async () => {
    const spec = await service({
      type: "LoadBalancer",
      allocateLoadBalancerNodePorts: false,
      externalTrafficPolicy: "Local",
      ports,
    });
    expect(spec.ports).toEqual([{ port: 80, protocol: "TCP", targetPort: 80 }]);
    expect(spec.healthCheckNodePort).toBeGreaterThanOrEqual(30_000);
  });
});

describe("updates of services", () => {
  async function updated(
    change: (spec: Decoded<ServiceSpec>) => void,
    spec: Record<string, unknown> = { type: "NodePort", ports },
  ): Promise<Decoded<ServiceSpec>[]> {
    const resourceFor = testResources();
    const context = testContext([], resourceFor);
    const { strategy } = resourceFor("Service");
    const before = await created(
      resourceFor("Service"),
      { metadata: { name: "a", namespace: "ns" }, spec },
      context,
    );
    const object = structuredClone(before);
    deepFreeze(before);
    change((decodedAs(Service, object).spec ??= {}));
    strategy.default?.(object);
    strategy.prepareForUpdate?.(object, before, context);
    strategy.allocate?.(object, before, context);
    return [decodedAs(Service, object).spec ?? {}, decodedAs(Service, before).spec ?? {}];
  }

  test("what is left out stays", async () => {
    const [now, then] = await updated((spec) => {
      delete spec.clusterIP;
      delete spec.clusterIPs;
      for (const port of spec.ports ?? []) delete port.nodePort;
    });
    expect(now).toEqual(then);
  });

  test("one that is to have a single family gives the second back", async () => {
    const toSingle = (spec: Decoded<ServiceSpec>): void => {
      spec.ipFamilyPolicy = "SingleStack";
    };
    const [now, then] = await updated(toSingle, { clusterIP: "None" });
    expect(then?.ipFamilies).toEqual(["IPv4", "IPv6"]);
    expect(now).toMatchObject({ ipFamilies: ["IPv4"], ipFamilyPolicy: "SingleStack" });
  });

  test("one that prefers two families keeps what it has when it loses its selector", async () => {
    const wish = { clusterIP: "None", selector: { a: "b" }, ipFamilyPolicy: "PreferDualStack" };
    const [now] = await updated((spec) => {
      delete spec.selector;
    }, wish);
    expect(now).toMatchObject({ ipFamilies: ["IPv4"], ipFamilyPolicy: "PreferDualStack" });
  });

  test("a class without a load balancer is refused before what the type lacks, and told twice as by the real server", () => {
    const { strategy } = testResources()("Service");
    const before = { apiVersion: "v1", kind: "Service", metadata: { name: "a", namespace: "ns" } };
    const after = {
      ...before,
      spec: { type: "ExternalName", loadBalancerClass: "a/b", sessionAffinity: "None" },
    };
    const errors = allErrors(strategy.validate?.(after, { ...before, spec: { type: "ClusterIP" } }));
    expect(errors.map(({ field }) => field)).toEqual([
      "spec.loadBalancerClass",
      "spec.externalName",
      "spec.loadBalancerClass",
    ]);
  });

  test("a type without address and node port gives both back", async () => {
    const [now] = await updated((spec) => {
      spec.type = "ExternalName";
      spec.externalName = "a.example.com";
    });
    expect(now).toEqual({
      externalName: "a.example.com",
      // Stored, and hidden from readers.
      internalTrafficPolicy: "Cluster",
      ports: [{ port: 80, protocol: "TCP", targetPort: 80 }],
      sessionAffinity: "None",
      type: "ExternalName",
    });
  });
});

describe("ranges", () => {
  test.each(["10.96.0.0", "10.96.0.0/33", "fd00::/64", "10.0.0.0/30"])("%s is refused", (text) => {
    expect(() => parseAddressRange(text)).toThrow(/must be an IPv4 range/u);
  });

  test("the first address, and where those begin that nobody asks for", () => {
    const range = parseAddressRange("10.96.0.0/12");
    expect([range.first, range.at(range.size - 1), range.dynamicFrom]).toEqual([
      "10.96.0.1",
      "10.111.255.254",
      256,
    ]);
    expect(range.contains("10.96.0.0")).toBe(false);
    expect(range.contains("10.111.255.255")).toBe(false);
  });
});
