import type { PersistentVolumeClaim } from "@kedge/machinery/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { explainBefore } from "./explain.ts";
import { planClaims, type ClaimsPlan } from "./plan-claims.ts";
import { claim, localVolume, pod, stored } from "./testing/builders.ts";

const volume = localVolume("v", ["a"]);

function plan(found: PersistentVolumeClaim | undefined, volumeBindingMode = "Immediate"): ClaimsPlan {
  const volumes = [
    { name: "x", emptyDir: {} },
    { name: "data", persistentVolumeClaim: { claimName: "data" } },
  ];
  return planClaims(pod("p", { spec: { volumes } }), {
    claim: () => found,
    volume: (name) => (name === "v" ? volume : undefined),
    storageClass: (name) => ({
      apiVersion: "storage.k8s.io/v1",
      kind: "StorageClass",
      metadata: stored(name),
      provisioner: "p",
      volumeBindingMode,
    }),
  });
}

describe("the claims of a pod", () => {
  it("that are bound tell where the pod may be", () => {
    expect(plan(claim("data", { volumeName: "v" }))).toEqual({
      type: "ready",
      volumes: [volume],
      toPlace: [],
    });
  });
  it("that wait for a node are placed with the pod", () => {
    const waiting = claim("data");
    expect(plan(waiting, "WaitForFirstConsumer")).toEqual({ type: "ready", volumes: [], toPlace: [waiting] });
  });
  const going = claim("data");
  it.each<[string, PersistentVolumeClaim | undefined, string]>([
    ["that do not exist", undefined, 'persistentvolumeclaim "data" not found'],
    [
      "that are on their way out",
      { ...going, metadata: { ...going.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } },
      'persistentvolumeclaim "data" is being deleted',
    ],
    ["that should be bound by now", claim("data"), "pod has unbound immediate PersistentVolumeClaims"],
    [
      "whose volume is gone",
      claim("data", { volumeName: "gone" }),
      'persistentvolumeclaim "data" bound to non-existent persistentvolume "gone"',
    ],
  ])("%s keep it waiting", (_name, found, reason) => {
    expect(plan(found)).toEqual({ type: "wait", reason });
  });
  it("of a pod without any are no obstacle", () => {
    const lookup = { claim: () => undefined, volume: () => undefined, storageClass: () => undefined };
    expect(planClaims(pod("p"), lookup)).toEqual({ type: "ready", volumes: [], toPlace: [] });
  });
  it("are told before the nodes", () => {
    expect(explainBefore(2, "x")).toBe("0/2 nodes are available: x.");
    expect(explainBefore(0, "x")).toBe("no nodes available to schedule pods");
  });
});
