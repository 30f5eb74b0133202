import type { EndpointSubset, Endpoints } from "@kedge/machinery/kinds/core/v1";
import type { EndpointSlice } from "@kedge/machinery/kinds/discovery/v1";
import { describe, expect, it } from "vitest";
import { stored } from "../testing/builders.ts";
import { isNotMirrored, planMirror } from "./mirror-plan.ts";

const endpoints = (subsets: EndpointSubset[], more: Partial<Endpoints["metadata"]> = {}): Endpoints => ({
  apiVersion: "v1",
  kind: "Endpoints",
  metadata: stored("outside", { labels: { team: "a" }, ...more }),
  subsets,
});
const http = [{ name: "http", port: 80, protocol: "TCP" }];
const at = (...ips: string[]) => ips.map((ip) => ({ ip }));

/** The slices that a first plan makes, as they are stored then. */
function made(subject: Endpoints): readonly EndpointSlice[] {
  return planMirror(subject, []).actions.flatMap((action, i) => {
    if (action.type !== "create") return [];
    const { endpoints: told, ports, addressType, metadata } = action.slice;
    const { labels = {}, annotations = {} } = metadata ?? {};
    return [
      {
        apiVersion: "discovery.k8s.io/v1",
        kind: "EndpointSlice",
        metadata: {
          ...stored(`outside-${i}`, { labels, annotations }),
          ownerReferences: metadata?.ownerReferences,
        },
        addressType,
        endpoints: told,
        ports,
      },
    ];
  });
}

describe("slices of endpoints that somebody has written", () => {
  it("say the same, with the labels and annotations but for those of tools", () => {
    const subject = endpoints(
      [{ addresses: at("192.0.2.2", "192.0.2.1"), notReadyAddresses: at("192.0.2.3"), ports: http }],
      { annotations: { note: "kept", "kubectl.kubernetes.io/last-applied-configuration": "{}" } },
    );
    const [slice, ...others] = made(subject);
    expect(others).toEqual([]);
    expect(slice).toMatchObject({
      addressType: "IPv4",
      ports: http,
      endpoints: [
        { addresses: ["192.0.2.1"], conditions: { ready: true } },
        { addresses: ["192.0.2.2"], conditions: { ready: true } },
        { addresses: ["192.0.2.3"], conditions: { ready: false } },
      ],
      metadata: {
        labels: {
          team: "a",
          "kubernetes.io/service-name": "outside",
          "endpointslice.kubernetes.io/managed-by": "endpointslicemirroring-controller.k8s.io",
        },
        annotations: { note: "kept" },
        ownerReferences: [{ kind: "Endpoints", name: "outside", controller: true }],
      },
    });
    expect(planMirror(subject, made(subject)).actions).toEqual([]);
  });

  it("are apart by ports and by the kind of address", () => {
    const subject = endpoints([
      { addresses: at("192.0.2.1", "2001:db8::1"), ports: http },
      { addresses: at("192.0.2.1"), ports: [{ port: 81 }] },
    ]);
    expect(made(subject).map(({ addressType, ports }) => [addressType, ports?.[0]?.port])).toEqual([
      ["IPv4", 80],
      ["IPv6", 80],
      ["IPv4", 81],
    ]);
  });

  it("are changed in place, used again for other ports, and go when there is nothing to say", () => {
    const slices = made(endpoints([{ addresses: at("192.0.2.1"), ports: http }]));
    const typesFor = (subsets: EndpointSubset[]) =>
      planMirror(endpoints(subsets), slices).actions.map(({ type }) => type);
    expect(typesFor([{ addresses: at("192.0.2.9"), ports: http }])).toEqual(["update"]);
    expect(typesFor([{ addresses: at("192.0.2.1"), ports: [{ port: 99 }] }])).toEqual(["update"]);
    expect(typesFor([{ addresses: at("2001:db8::1"), ports: http }])).toEqual(["create", "delete"]);
    expect(typesFor([])).toEqual(["delete"]);
  });

  it("have at most a thousand addresses of a subset, and none that is no address", () => {
    const many = Array.from({ length: 1003 }, (_, i) => `10.0.${i >> 8}.${i & 255}`);
    const plan = planMirror(endpoints([{ addresses: at(...many, "nowhere"), ports: http }]), []);
    expect([plan.skipped, plan.invalid]).toEqual([3, 1]);
  });

  it("are not made of those that say so, or elect a leader", () => {
    const skip = { labels: { "endpointslice.kubernetes.io/skip-mirror": "true" } };
    const leader = { annotations: { "control-plane.alpha.kubernetes.io/leader": "{}" } };
    expect([{}, skip, leader].map((more) => isNotMirrored(endpoints([], more)))).toEqual([false, true, true]);
  });
});
