import type { Pod, Service, ServiceSpec } from "@kedge/machinery/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { pod, stored, type PodSetup } from "../testing/builders.ts";
import { subsetsOf } from "./subsets.ts";

const service = (spec: ServiceSpec): Service => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: stored("web"),
  spec: { clusterIP: "10.96.0.1", ...spec },
});
const http = { ports: [{ name: "http", port: 80, targetPort: 8080 }] };
const at = (name: string, podIP: string, setup: PodSetup = { readyFor: 5 }): Pod => {
  const plain = pod(name, setup);
  return { ...plain, status: { ...plain.status, podIP } };
};
const shown = ({ subsets }: ReturnType<typeof subsetsOf>) =>
  subsets.map(({ addresses, notReadyAddresses, ports }) => ({
    ready: (addresses ?? []).map(({ ip }) => ip),
    notReady: (notReadyAddresses ?? []).map(({ ip }) => ip),
    ports: (ports ?? []).map(({ name, port }) => `${name ?? ""}:${port}`),
  }));

describe("the addresses of a service", () => {
  it.each<[string, ServiceSpec, readonly Pod[], ReturnType<typeof shown>]>([
    ["none", http, [], []],
    [
      "ready and not ready, in the order of the addresses",
      http,
      [at("a", "10.0.0.3"), at("b", "10.0.0.1"), at("c", "10.0.0.2", {})],
      [{ ready: ["10.0.0.1", "10.0.0.3"], notReady: ["10.0.0.2"], ports: ["http:8080"] }],
    ],
    [
      "not of pods without an address, that have ended, or that go",
      http,
      [
        at("a", ""),
        at("b", "10.0.0.1", { phase: "Succeeded" }),
        at("c", "10.0.0.2", { readyFor: 5, terminating: true }),
      ],
      [],
    ],
    [
      "of all pods, if it publishes those that are not ready",
      { ...http, publishNotReadyAddresses: true },
      [at("a", "10.0.0.1", {}), at("b", "10.0.0.2", { terminating: true })],
      [{ ready: ["10.0.0.1", "10.0.0.2"], notReady: [], ports: ["http:8080"] }],
    ],
    [
      "without ports of a headless one",
      { clusterIP: "None" },
      [at("a", "10.0.0.1")],
      [{ ready: ["10.0.0.1"], notReady: [], ports: [] }],
    ],
    ["but not of another", {}, [at("a", "10.0.0.1")], []],
    [
      "not where its port is nowhere",
      { ports: [{ port: 80, targetPort: "web" }] },
      [at("a", "10.0.0.1")],
      [],
    ],
  ])("%s", (_title, spec, pods, expected) => {
    expect(shown(subsetsOf(service(spec), pods))).toEqual(expected);
  });

  it("are at most a thousand: those that are ready first", () => {
    const many = (count: number, setup: PodSetup, start: number) =>
      Array.from({ length: count }, (_, i) =>
        at(`p${start + i}`, `10.1.${(start + i) >> 8}.${(start + i) & 255}`, setup),
      );
    const some = subsetsOf(service(http), [...many(900, { readyFor: 5 }, 0), ...many(300, {}, 900)]);
    expect([
      some.isTruncated,
      some.subsets[0]?.addresses?.length,
      some.subsets[0]?.notReadyAddresses?.length,
    ]).toEqual([true, 900, 100]);
    const more = subsetsOf(service(http), [...many(1100, { readyFor: 5 }, 0), ...many(10, {}, 1100)]);
    expect([
      more.isTruncated,
      more.subsets[0]?.addresses?.length,
      more.subsets[0]?.notReadyAddresses,
    ]).toEqual([true, 1000, undefined]);
  });
});
