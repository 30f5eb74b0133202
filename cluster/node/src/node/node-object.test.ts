import { resourceVersion, uid } from "@kedge/machinery";
import type { Node } from "@kedge/machinery/kinds/core/v1";
import { expect, it } from "vitest";
import { nodeLabels, nodeSpec, nodeStatus, saysTheSame, type NodeFacts } from "./node-object.ts";

const facts: NodeFacts = {
  name: "node-1",
  labels: { zone: "a" },
  address: "192.0.2.1",
  capacity: { cpu: "2", memory: "4Gi", pods: "110" },
  allocatable: { cpu: "2", memory: "4Gi", pods: "110" },
  info: {
    architecture: "amd64",
    bootID: "b",
    containerRuntimeVersion: "runc://1.1.5",
    kernelVersion: "6",
    kubeProxyVersion: "",
    kubeletVersion: "v1",
    machineID: "m",
    operatingSystem: "linux",
    osImage: "Debian",
    systemUUID: "s",
  },
  port: 10_250,
};

function nodeWith(status: Node["status"]): Node {
  const metadata = {
    name: "node-1",
    uid: uid("u"),
    resourceVersion: resourceVersion("1"),
    creationTimestamp: "2026-01-01T00:00:00Z",
  };
  return { apiVersion: "v1", kind: "Node", metadata, spec: {}, status };
}

it("a node says where it is, what it has, and that it is ready", () => {
  expect(nodeLabels(facts)).toEqual({
    "kubernetes.io/hostname": "node-1",
    "kubernetes.io/os": "linux",
    "kubernetes.io/arch": "amd64",
    zone: "a",
  });
  expect(nodeStatus(facts, undefined, { now: 0 })).toMatchObject({
    capacity: facts.capacity,
    addresses: [{ type: "InternalIP", address: "192.0.2.1" }, { type: "Hostname" }],
    daemonEndpoints: { kubeletEndpoint: { Port: 10_250 } },
    declaredFeatures: ["ExtendWebSocketsToKubelet"],
  });
});

it("a node says which addresses its pods have, where it knows", () => {
  expect(nodeSpec({ podCIDR: "10.244.1.0/24" })).toEqual({
    podCIDR: "10.244.1.0/24",
    podCIDRs: ["10.244.1.0/24"],
  });
  expect(nodeSpec({})).toEqual({});
});

it("a node says what it has as the server writes it, or it would say it again and again", () => {
  const capacity = { cpu: "2000m", memory: "4194304Ki", pods: "1000" };
  const { capacity: said } = nodeStatus({ ...facts, capacity }, undefined, { now: 0 });
  expect(said).toEqual({ cpu: "2", memory: "4Gi", pods: "1k" });
});

it("a heartbeat alone is no change, and leaves the time of the last transition", () => {
  const first = nodeStatus(facts, undefined, { now: 0 });
  const second = nodeStatus(facts, nodeWith(first), { now: 60_000 });
  expect(saysTheSame(first, second)).toBe(true);
  expect(second.conditions?.find(({ type }) => type === "Ready")).toMatchObject({
    lastHeartbeatTime: "1970-01-01T00:01:00Z",
    lastTransitionTime: "1970-01-01T00:00:00Z",
  });
});

it("a node that somebody called not ready says that it is, as of now", () => {
  const conditions = [{ type: "Ready", status: "Unknown", lastTransitionTime: "1970-01-01T00:00:00Z" }];
  const old = nodeStatus(facts, undefined, { now: 0 });
  const status = nodeStatus(facts, nodeWith({ ...old, conditions }), { now: 60_000 });
  expect(saysTheSame({ ...old, conditions }, status)).toBe(false);
  expect(status.conditions?.find(({ type }) => type === "Ready")).toMatchObject({
    status: "True",
    lastTransitionTime: "1970-01-01T00:01:00Z",
  });
});

it("a node that is short of something says so, as of now, and is ready", () => {
  const before = nodeStatus(facts, undefined, { now: 0 });
  const { conditions } = nodeStatus(facts, nodeWith(before), {
    now: 60_000,
    pressures: new Set(["DiskPressure"]),
  });
  expect(conditions?.map(({ type, status, reason }) => [type, status, reason])).toEqual([
    ["MemoryPressure", "False", "KubeletHasSufficientMemory"],
    ["DiskPressure", "True", "KubeletHasDiskPressure"],
    ["PIDPressure", "False", "KubeletHasSufficientPID"],
    ["Ready", "True", "KubeletReady"],
  ]);
  expect(conditions?.[1]).toMatchObject({
    message: "kubelet has disk pressure",
    lastTransitionTime: "1970-01-01T00:01:00Z",
  });
});
