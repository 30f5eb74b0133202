import { resourceVersion, uid, type DeepReadonly } from "@kedge/machinery";
import type { PersistentVolume, PersistentVolumeClaim } from "@kedge/machinery/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { localPathClass } from "./local-path-class.ts";
import { claimUidOf, folderName, folderToDelete, planVolume, volumeFor } from "./plan-volume.ts";

const node = { name: "node-1", folder: "/volumes" };
const stored = { resourceVersion: resourceVersion("1"), creationTimestamp: "2026-11-16T00:00:00Z" };
const asked = { "volume.kubernetes.io/storage-provisioner": "kedge.dev/local-path" };
const selected = { ...asked, "volume.kubernetes.io/selected-node": "node-1" };

function claim(annotations: Record<string, string>, more: { volumeName?: string; deleted?: boolean } = {}) {
  const { volumeName, deleted } = more;
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      ...stored,
      namespace: "default",
      name: "data",
      uid: uid("u-1"),
      annotations,
      ...(deleted === true ? { deletionTimestamp: "2026-11-16T00:00:01Z" } : {}),
    },
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: "2Gi" } },
      ...(volumeName === undefined ? {} : { volumeName }),
    },
  } satisfies DeepReadonly<PersistentVolumeClaim>;
}

const storageClass = {
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  ...localPathClass,
  metadata: { ...localPathClass.metadata, ...stored, uid: uid("class") },
};

describe("a node", () => {
  it.each([
    ["makes the volume of a claim that chose it", claim(selected), "provision"],
    ["leaves a claim that was not sent to its provisioner", claim({}), "nothing"],
    [
      "leaves a claim of another provisioner",
      claim({ ...selected, "volume.kubernetes.io/storage-provisioner": "example.com/x" }),
      "nothing",
    ],
    [
      "leaves a claim that chose another node",
      claim({ ...selected, "volume.kubernetes.io/selected-node": "node-2" }),
      "nothing",
    ],
    ["offers itself to a claim that waits for no pod", claim(asked), "select"],
    ["leaves a claim that has a volume", claim(selected, { volumeName: "v" }), "nothing"],
    ["leaves a claim that is being deleted", claim(selected, { deleted: true }), "nothing"],
  ])("%s", (_name, subject, expected) => {
    expect(planVolume(subject, node)).toBe(expected);
  });

  it("makes a volume of the claim's size, in a folder of its own, set aside for it, bound to this node", () => {
    const path = "/volumes/pvc-u-1_default_data";
    expect(volumeFor(claim(selected), storageClass, node)).toEqual({
      metadata: {
        name: "pvc-u-1",
        annotations: { "pv.kubernetes.io/provisioned-by": "kedge.dev/local-path" },
      },
      spec: {
        capacity: { storage: "2Gi" },
        accessModes: ["ReadWriteOnce"],
        persistentVolumeReclaimPolicy: "Delete",
        storageClassName: "local-path",
        volumeMode: "Filesystem",
        claimRef: {
          apiVersion: "v1",
          kind: "PersistentVolumeClaim",
          namespace: "default",
          name: "data",
          uid: "u-1",
        },
        local: { path },
        nodeAffinity: {
          required: {
            nodeSelectorTerms: [
              { matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In", values: ["node-1"] }] },
            ],
          },
        },
      },
    });
  });

  it.each([
    [folderName(claim({}).metadata), "u-1"],
    ["pvc-u-1", undefined],
    ["lost+found", undefined],
    ["my_own_folder", undefined],
  ])("knows whether it made the folder %s", (name, expected) => {
    expect(claimUidOf(name)).toBe(expected);
  });
});

describe("the data of a volume", () => {
  const made = volumeFor(claim(selected), storageClass, node);
  const released: DeepReadonly<PersistentVolume> = {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { ...made.metadata, ...stored, uid: uid("pv") },
    spec: made.spec ?? {},
    status: { phase: "Released" },
  };
  const spec = (more: object): DeepReadonly<PersistentVolume> => ({
    ...released,
    spec: { ...released.spec, ...more },
  });
  const exists = { matchExpressions: [{ key: "kubernetes.io/hostname", operator: "Exists" }] };
  it.each<[string, DeepReadonly<PersistentVolume>, string | undefined]>([
    ["goes when its claim is gone", released, "pvc-u-1_default_data"],
    [
      "goes when an earlier version made it for any node",
      spec({ nodeAffinity: { required: { nodeSelectorTerms: [exists] } } }),
      "pvc-u-1_default_data",
    ],
    ["stays while it is bound", { ...released, status: { phase: "Bound" } }, undefined],
    ["stays when its policy says so", spec({ persistentVolumeReclaimPolicy: "Retain" }), undefined],
    [
      "stays when nobody says that we made it",
      { ...released, metadata: { ...released.metadata, annotations: {} } },
      undefined,
    ],
    [
      "stays when the volume has a name that we would not give",
      { ...released, metadata: { ...released.metadata, name: "mine" } },
      undefined,
    ],
    [
      "stays when the volume points at another's folder",
      spec({ local: { path: "/volumes/pvc-u-2_default_other" } }),
      undefined,
    ],
    [
      "stays when it is outside of this node's folder",
      spec({ local: { path: "/etc/pvc-u-1_default_data" } }),
      undefined,
    ],
    ["stays when the volume has no claim", spec({ claimRef: undefined }), undefined],
    [
      "stays when it is on another node",
      spec({
        nodeAffinity: {
          required: {
            nodeSelectorTerms: [
              { matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In", values: ["node-2"] }] },
            ],
          },
        },
      }),
      undefined,
    ],
  ])("%s", (_name, volume, expected) => {
    expect(folderToDelete(volume, node)).toBe(expected);
  });
});
