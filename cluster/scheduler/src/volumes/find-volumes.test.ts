import type { PersistentVolume } from "@kedge/machinery/kinds/core/v1";
import type { StorageClass } from "@kedge/machinery/kinds/storage/v1";
import { describe, expect, it } from "vitest";
import { bareNode } from "../cluster-event.ts";
import { claim, localVolume, node, pod, stored } from "../testing/builders.ts";
import { catalogOf, type Situation } from "../testing/situation.ts";
import { findVolumes } from "./find-volumes.ts";
import { podClaimsOf } from "./pod-claims.ts";

const subject = pod("p", {
  spec: { volumes: [{ name: "data", persistentVolumeClaim: { claimName: "c" } }] },
});
const bound = { "pv.kubernetes.io/bind-completed": "yes" };
const wants = { storageClassName: "later", resources: { requests: { storage: "1Gi" } } };

function later(more: Partial<StorageClass> = {}): StorageClass {
  return {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: stored("later"),
    provisioner: "example.com/made",
    volumeBindingMode: "WaitForFirstConsumer",
    ...more,
  };
}

function volume(name: string, size: string, more: Partial<PersistentVolume["spec"]> = {}): PersistentVolume {
  const { spec, ...rest } = localVolume(name, ["n"]);
  return {
    ...rest,
    spec: { ...spec, storageClassName: "later", capacity: { storage: size }, ...more },
    status: { phase: "Available" },
  };
}

/** What is to be done for the pod's claim on node `n`, or why it cannot be there. */
function find(situation: Partial<Situation>): string {
  const catalog = catalogOf(situation);
  const claims = podClaimsOf(subject, catalog);
  if ("rejected" in claims) return claims.rejected;
  const found = findVolumes(claims, bareNode(node("n", { labels: { zone: "a" } })), catalog);
  if ("reasons" in found) return found.reasons.join(", ");
  const bindings = found.bindings.map(({ volume: { metadata } }) => `binds ${metadata.name}`);
  const provisions = found.provisions.map(({ metadata }) => `makes ${metadata.name}`);
  return [...bindings, ...provisions].join(", ") || "nothing";
}

describe("the claim of a pod", () => {
  const elsewhere = "node(s) didn't match PersistentVolume's node affinity";
  const none = "node(s) didn't find available persistent volumes to bind";
  const lost = { ...claim("c", { volumeName: "v" }), status: { phase: "Lost" } };
  const going = claim("c");
  const zoneB = [{ matchLabelExpressions: [{ key: "zone", values: ["b"] }] }];
  const claims = [claim("c", wants)];
  const chosen = (name: string) => claim("c", wants, { "volume.kubernetes.io/selected-node": name });
  it.each<[string, Partial<Situation>, string]>([
    ["is missing", {}, 'persistentvolumeclaim "c" not found'],
    ["is lost", { claims: [lost] }, 'persistentvolumeclaim "c" bound to non-existent persistentvolume "v"'],
    [
      "is being deleted",
      { claims: [{ ...going, metadata: { ...going.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } }] },
      'persistentvolumeclaim "c" is being deleted',
    ],
    ["is unbound", { claims: [claim("c")] }, "pod has unbound immediate PersistentVolumeClaims"],
    [
      "names a volume that it is not bound to yet",
      { claims: [claim("c", { ...wants, volumeName: "v" })], classes: [later()] },
      "pod has unbound immediate PersistentVolumeClaims",
    ],
    [
      "is bound here",
      { claims: [claim("c", { volumeName: "v" }, bound)], volumes: [volume("v", "1Gi")] },
      "nothing",
    ],
    [
      "is bound elsewhere",
      { claims: [claim("c", { volumeName: "v" }, bound)], volumes: [localVolume("v", ["m"])] },
      elsewhere,
    ],
    [
      "is bound to what is not there",
      { claims: [claim("c", { volumeName: "v" }, bound)] },
      "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)",
    ],
    ["gets a volume made", { claims, classes: [later()] }, "makes c"],
    [
      "gets none made where that is not allowed",
      { claims, classes: [later({ allowedTopologies: zoneB })] },
      none,
    ],
    [
      "gets none made by nobody",
      { claims, classes: [later({ provisioner: "kubernetes.io/no-provisioner" })] },
      none,
    ],
    ["gets one made where it was told", { claims: [chosen("n")], classes: [later()] }, "makes c"],
    ["gets none made elsewhere", { claims: [chosen("m")], classes: [later()] }, none],
    [
      "gets the smallest that fits",
      {
        claims,
        classes: [later()],
        volumes: [volume("big", "3Gi"), volume("fits", "2Gi"), volume("small", "1Mi")],
      },
      "binds fits",
    ],
    [
      "gets the one that was reserved for it",
      {
        claims,
        classes: [later()],
        volumes: [
          volume("fits", "1Gi"),
          volume("mine", "5Gi", { claimRef: { namespace: "default", name: "c" } }),
        ],
      },
      "binds mine",
    ],
    [
      "gets none that is another's, of another mode, or that it may not use so",
      {
        claims: [claim("c", { ...wants, accessModes: ["ReadWriteMany"] })],
        classes: [later()],
        volumes: [
          volume("other", "1Gi", { claimRef: { namespace: "default", name: "d" } }),
          volume("block", "1Gi", { volumeMode: "Block", accessModes: ["ReadWriteMany"] }),
          volume("once", "1Gi", { accessModes: ["ReadWriteOnce"] }),
        ],
      },
      "makes c",
    ],
  ])("%s", (_name, situation, expected) => {
    expect(find(situation)).toBe(expected);
  });
});
