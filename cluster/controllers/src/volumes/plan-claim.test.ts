import {
  resourceVersion,
  selectedNodeAnnotation,
  uid,
  type DeepReadonly,
  type StoredMeta,
} from "@kedge/machinery";
import type { PersistentVolumeClaim } from "@kedge/machinery/kinds/core/v1";
import type { StorageClass } from "@kedge/machinery/kinds/storage/v1";
import { describe, expect, it } from "vitest";
import { planClaim, type ClaimView } from "./plan-claim.ts";

function metadata(name: string): StoredMeta & { namespace: string } {
  return {
    namespace: "default",
    name,
    uid: uid(`uid-of-${name}`),
    resourceVersion: resourceVersion("1"),
    creationTimestamp: "2026-11-16T00:00:00Z",
  };
}

const claim: DeepReadonly<PersistentVolumeClaim> = {
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: metadata("data"),
  spec: { accessModes: ["ReadWriteOnce"], storageClassName: "ours" },
};

const storageClass: DeepReadonly<StorageClass> = {
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  metadata: metadata("ours"),
  provisioner: "kedge.dev/local-path",
  volumeBindingMode: "WaitForFirstConsumer",
};

const view: ClaimView = { claim, volumes: [], storageClass, unplaced: [] };

describe("a claim without a volume", () => {
  it.each([
    {
      what: "that somebody wants it",
      changes: {},
      note: "WaitForFirstConsumer: waiting for first consumer to be created before binding",
    },
    {
      what: "that the pod which wants it has a place",
      changes: { unplaced: ["a"] },
      note: "WaitForPodScheduled: waiting for pod a to be scheduled",
    },
    {
      what: "that one of the pods which want it has a place",
      changes: { unplaced: ["a", "b"] },
      note: "WaitForPodScheduled: waiting for pods a,b to be scheduled",
    },
    {
      what: "that its class is there",
      changes: { storageClass: undefined },
      note: 'ProvisioningFailed: storageclass.storage.k8s.io "ours" not found',
    },
    {
      what: "that a volume is there, when it names no class",
      changes: { claim: { ...claim, spec: {} } },
      note: "FailedBinding: no persistent volumes available for this claim and no storage class is set",
    },
  ])("waits, and says so, $what", ({ changes, note }) => {
    const step = planClaim({ ...view, ...changes });
    expect(step).toMatchObject({ type: "wait" });
    expect("note" in step ? `${step.note?.reason}: ${step.note?.message}` : "").toBe(note);
  });

  it("asks for one when the scheduler has chosen a node", () => {
    const annotations = { [selectedNodeAnnotation]: "node-1" };
    const placed = { ...claim, metadata: { ...claim.metadata, annotations } };
    expect(planClaim({ ...view, claim: placed })).toEqual({
      type: "provision",
      provisioner: "kedge.dev/local-path",
    });
  });
});
