import type { PersistentVolume, PersistentVolumeClaim } from "@kedge/machinery/kinds/core/v1";
import type { StorageClass } from "@kedge/machinery/kinds/storage/v1";
import { uid } from "@kedge/machinery";
import { describe, expect, it } from "vitest";
import { claim, stored, volume } from "../testing/builders.ts";
import { matchVolume } from "./match-volume.ts";
import { planClaim, type ClaimStep } from "./plan-claim.ts";
import { phaseOf } from "./volume-controller.ts";

const toClaim = (name: string, by: string | undefined = `${name}-uid`) => ({
  claimRef: { namespace: "default", name, ...(by === undefined ? {} : { uid: uid(by) }) },
});
const setAside = { claimRef: { namespace: "default", name: "data" } };

function storageClass(more: Partial<StorageClass> = {}): StorageClass {
  const { namespace: _, ...metadata } = stored("standard");
  return {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata,
    provisioner: "kedge.dev/local-path",
    reclaimPolicy: "Delete",
    volumeBindingMode: "WaitForFirstConsumer",
    ...more,
  };
}

interface Situation {
  readonly claim: PersistentVolumeClaim;
  readonly volumes?: readonly PersistentVolume[];
  readonly class?: StorageClass;
  readonly unplaced?: readonly string[];
}

function plan(situation: Situation): ClaimStep {
  return planClaim({
    claim: situation.claim,
    volumes: situation.volumes ?? [],
    storageClass: situation.class,
    unplaced: situation.unplaced ?? [],
  });
}

function said(step: ClaimStep): string {
  if (step.type === "wait") return `wait ${step.note?.reason ?? ""}`.trim();
  if (step.type === "provision") return `provision ${step.provisioner}`;
  return "volume" in step ? `${step.type} ${step.volume.metadata.name}` : step.type;
}

const bound = { phase: "Bound" };
const ofClass = { storageClassName: "standard" };
const selected = { "volume.kubernetes.io/selected-node": "node-1" };
const placed = { metadata: { annotations: selected } };

describe("a claim", () => {
  it.each<[string, Situation, string]>([
    ["waits for the volume that it names", { claim: claim("data", { volumeName: "v" }) }, "wait"],
    [
      "takes it when it is free",
      { claim: claim("data", { volumeName: "v" }), volumes: [volume("v")] },
      "bind v",
    ],
    [
      "takes it when it was set aside for the claim",
      { claim: claim("data", { volumeName: "v" }), volumes: [volume("v", setAside)] },
      "bind v",
    ],
    [
      "waits while it is another's",
      { claim: claim("data", { volumeName: "v" }), volumes: [volume("v", toClaim("other"), "Bound")] },
      "wait",
    ],
    [
      "is bound when both name each other",
      { claim: claim("data", { volumeName: "v" }), volumes: [volume("v", toClaim("data"), "Bound")] },
      "complete v",
    ],
    ["is lost when its volume is gone", { claim: claim("data", { volumeName: "v" }, bound) }, "lost"],
    [
      "is lost when its volume has become another's",
      {
        claim: claim("data", { volumeName: "v" }, bound),
        volumes: [volume("v", toClaim("data", "older"), "Bound")],
      },
      "lost",
    ],
    ["takes a free volume that fits", { claim: claim("data"), volumes: [volume("v")] }, "bind v"],
    [
      "goes on with the volume that already names it",
      { claim: claim("data"), volumes: [volume("a"), volume("v", toClaim("data"), "Bound")] },
      "bind v",
    ],
    ["without a class waits for a volume", { claim: claim("data") }, "wait FailedBinding"],
    ["says when its class is missing", { claim: claim("data", ofClass) }, "wait ProvisioningFailed"],
    [
      "waits for a first pod",
      { claim: claim("data", ofClass), class: storageClass() },
      "wait WaitForFirstConsumer",
    ],
    [
      "waits for its pod to get a node",
      { claim: claim("data", ofClass), class: storageClass(), unplaced: ["web-0"] },
      "wait WaitForPodScheduled",
    ],
    [
      "takes no free volume before the node is known",
      { claim: claim("data", ofClass), class: storageClass(), volumes: [volume("v", ofClass)] },
      "wait WaitForFirstConsumer",
    ],
    [
      "is for its provisioner when the node is known",
      { claim: claim("data", ofClass, placed), class: storageClass() },
      "provision kedge.dev/local-path",
    ],
    [
      "is for its provisioner at once when its class does not wait",
      { claim: claim("data", ofClass), class: storageClass({ volumeBindingMode: "Immediate" }) },
      "provision kedge.dev/local-path",
    ],
    [
      "waits when its provisioner was asked",
      {
        claim: claim("data", ofClass, {
          metadata: {
            annotations: { ...selected, "volume.kubernetes.io/storage-provisioner": "kedge.dev/local-path" },
          },
        }),
        class: storageClass(),
      },
      "wait ExternalProvisioning",
    ],
    [
      "waits for a person where nobody provisions",
      {
        claim: claim("data", ofClass),
        class: storageClass({ provisioner: "kubernetes.io/no-provisioner", volumeBindingMode: "Immediate" }),
      },
      "wait ProvisioningFailed",
    ],
  ])("%s", (_name, situation, expected) => {
    expect(said(plan(situation))).toBe(expected);
  });
});

describe("a volume for a claim", () => {
  const wanted = claim("data", { ...ofClass, resources: { requests: { storage: "2Gi" } } });
  const sized = (name: string, storage: string, more = {}): PersistentVolume =>
    volume(name, { ...ofClass, capacity: { storage }, ...more });
  it.each<[string, PersistentVolumeClaim, readonly PersistentVolume[], string | undefined]>([
    [
      "is the smallest that is large enough",
      wanted,
      [sized("l", "9Gi"), sized("m", "3Gi"), sized("s", "1Gi")],
      "m",
    ],
    ["is of the same class", wanted, [sized("v", "2Gi", { storageClassName: "other" })], undefined],
    ["can all that is asked for", wanted, [sized("v", "2Gi", { accessModes: ["ReadOnlyMany"] })], undefined],
    ["is of the same mode", wanted, [sized("v", "2Gi", { volumeMode: "Block" })], undefined],
    ["is free", wanted, [sized("v", "2Gi", toClaim("other"))], undefined],
    [
      "has the labels that are asked for",
      claim("data", { ...wanted.spec, selector: { matchLabels: { fast: "yes" } } }),
      [sized("v", "2Gi")],
      undefined,
    ],
  ])("%s", (_name, subject, volumes, expected) => {
    expect(matchVolume(subject, volumes)?.metadata.name).toBe(expected);
  });

  it("is not one that was left behind", () => {
    const released = { ...sized("v", "2Gi"), status: { phase: "Released" } };
    expect(matchVolume(wanted, [released])).toBeUndefined();
  });
});

describe("a volume's phase", () => {
  it.each<[string, PersistentVolume, PersistentVolumeClaim | undefined, string]>([
    ["is Available without a claim", volume("v"), undefined, "Available"],
    ["is Available while it is set aside", volume("v", setAside), undefined, "Available"],
    ["is Bound with its claim", volume("v", toClaim("data")), claim("data"), "Bound"],
    ["is Released when its claim is gone", volume("v", toClaim("data")), undefined, "Released"],
    [
      "is Released when another claim has the name",
      volume("v", toClaim("data", "old")),
      claim("data"),
      "Released",
    ],
  ])("%s", (_name, subject, owner, expected) => {
    expect(phaseOf(subject, owner)).toBe(expected);
  });
});
