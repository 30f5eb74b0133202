import type { Service } from "@kedge/machinery/kinds/core/v1";
import type { Endpoint, EndpointSlice } from "@kedge/machinery/kinds/discovery/v1";
import { describe, expect, it } from "vitest";
import { stored } from "../testing/builders.ts";
import type { EndpointGroup } from "./endpoints.ts";
import { planSlices } from "./plan.ts";

const service = (more: Partial<Service> = {}): Service => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: stored("web", { labels: { team: "a" } }),
  spec: { clusterIP: "10.96.0.1" },
  ...more,
});

const endpoint = (address: string): Endpoint => ({ addresses: [address], conditions: { ready: true } });
const http = [{ name: "http", port: 80, protocol: "TCP" }];
const group = (addresses: readonly string[], ports = http): EndpointGroup => ({
  ports,
  endpoints: addresses.map(endpoint),
});

const labels = {
  team: "a",
  "kubernetes.io/service-name": "web",
  "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
};

function slice(name: string, { ports, endpoints }: EndpointGroup): EndpointSlice {
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: stored(name, { labels }),
    addressType: "IPv4",
    endpoints: [...endpoints],
    ports: [...ports],
  };
}

function plan(groups: readonly EndpointGroup[], existing: readonly EndpointSlice[], subject = service()) {
  return planSlices(subject, groups, { existing, triggeredAt: undefined });
}

describe("the slices of a service", () => {
  it("are made with the service's labels, its name and who manages them, and belong to it", () => {
    expect(plan([group(["10.0.0.1"])], [])).toMatchObject([
      {
        type: "create",
        slice: {
          metadata: {
            generateName: "web-",
            namespace: "default",
            labels,
            ownerReferences: [{ kind: "Service", name: "web", controller: true }],
          },
          addressType: "IPv4",
          endpoints: [{ addresses: ["10.0.0.1"] }],
          ports: http,
        },
      },
    ]);
  });

  it("are there, empty, even without any pod", () => {
    expect(plan([], [])).toMatchObject([{ type: "create", slice: { endpoints: [], ports: [] } }]);
  });

  it("of a headless service say so", () => {
    const [action] = plan([], [], service({ spec: { clusterIP: "None" } }));
    expect(action?.slice.metadata.labels).toHaveProperty(["service.kubernetes.io/headless"], "");
  });

  it("are not written when nothing changes", () => {
    expect(plan([group(["10.0.0.1"])], [slice("web-a", group(["10.0.0.1"]))])).toEqual([]);
  });

  it("are filled anew, and keep their names", () => {
    const actions = plan([group(["10.0.0.2"])], [slice("web-a", group(["10.0.0.1"]))]);
    expect(actions).toMatchObject([
      { type: "update", slice: { metadata: { name: "web-a" }, endpoints: [{ addresses: ["10.0.0.2"] }] } },
    ]);
  });

  it("follow the service's labels", () => {
    const relabelled = service({ metadata: stored("web", { labels: { team: "b" } }) });
    const actions = plan([group(["10.0.0.1"])], [slice("web-a", group(["10.0.0.1"]))], relabelled);
    expect(actions).toMatchObject([{ type: "update", slice: { metadata: { labels: { team: "b" } } } }]);
  });

  it("do not take reserved labels from the service", () => {
    const cheating = service({
      metadata: stored("web", { labels: { ...labels, "kubernetes.io/service-name": "x" } }),
    });
    expect(plan([group(["10.0.0.1"])], [slice("web-a", group(["10.0.0.1"]))], cheating)).toEqual([]);
  });

  it("hold at most a hundred endpoints each", () => {
    const many = Array.from({ length: 250 }, (_, index) => `10.0.1.${index}`);
    const actions = plan([group(many)], []);
    expect(actions.map((action) => action.slice.endpoints?.length)).toEqual([100, 100, 50]);
  });

  it("stay as they are when a pod comes or goes that is in another", () => {
    const many = Array.from({ length: 250 }, (_, index) => `10.0.${index}.1`);
    const existing = [many.slice(0, 100), many.slice(100, 200), many.slice(200)].map((part, index) =>
      slice(`web-${index}`, group(part)),
    );
    const after = ["10.0.0.0", ...many.filter((address) => address !== "10.0.150.1")];
    const changed = plan([group(after)], existing).map(({ type, slice: { metadata, endpoints } }) => [
      type,
      metadata.name,
      endpoints?.length,
    ]);
    expect(changed).toEqual([["update", "web-1", 100]]);
  });

  it("have their endpoints in order, whenever they came", () => {
    const [action] = plan([group(["10.0.0.1", "10.0.0.2"])], [slice("web-a", group(["10.0.0.2"]))]);
    expect(action?.slice.endpoints?.flatMap(({ addresses }) => addresses)).toEqual(["10.0.0.1", "10.0.0.2"]);
  });

  it("with room are filled before there is another, and dropped when nothing is left in them", () => {
    const existing = [slice("web-a", group(["10.0.0.1", "10.0.0.2"])), slice("web-b", group(["10.0.0.3"]))];
    const actions = plan([group(["10.0.0.2", "10.0.0.4"])], existing);
    expect(actions).toMatchObject([
      {
        type: "update",
        slice: {
          metadata: { name: "web-a" },
          endpoints: [{ addresses: ["10.0.0.2"] }, { addresses: ["10.0.0.4"] }],
        },
      },
      { type: "delete", slice: { metadata: { name: "web-b" } } },
    ]);
  });

  it("that are left over are dropped, those with other ports first", () => {
    const other = [{ name: "other", port: 81, protocol: "TCP" }];
    const existing = [slice("web-a", group(["10.0.0.9"], other)), slice("web-b", group(["10.0.0.1"]))];
    expect(plan([group(["10.0.0.1"])], existing)).toMatchObject([
      { type: "delete", slice: { metadata: { name: "web-a" } } },
    ]);
  });

  it("of a name elsewhere there are none", () => {
    const actions = plan([], [slice("web-a", group([]))], service({ spec: { type: "ExternalName" } }));
    expect(actions).toMatchObject([{ type: "delete" }]);
  });
});
