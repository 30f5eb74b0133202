import { apiVersionOf, type DeepReadonly, type Draft } from "@kedge/machinery";
import { PersistentVolumeClaim, type PersistentVolume } from "@kedge/machinery/kinds/core/v1";
import type { StorageClass } from "@kedge/machinery/kinds/storage/v1";
import { isFor, matchVolume } from "./match-volume.ts";
import { boundByController, provisionedBy, provisioner, selectedNode } from "./names.ts";

/** The next step for a claim. */
export type ClaimStep =
  | { readonly type: "bind"; readonly volume: DeepReadonly<PersistentVolume> }
  | {
      readonly type: "provision";
      readonly volume: Draft<PersistentVolume> & { metadata: { name: string } };
      readonly path: string;
    }
  | { readonly type: "complete"; readonly volume: DeepReadonly<PersistentVolume> }
  | { readonly type: "lost" }
  | {
      readonly type: "wait";
      readonly note?: {
        readonly type: "Normal" | "Warning";
        readonly reason: string;
        readonly message: string;
      };
    };

/** What the plan is made from. */
export interface ClaimView {
  readonly claim: DeepReadonly<PersistentVolumeClaim>;
  readonly volumes: readonly DeepReadonly<PersistentVolume>[];
  readonly storageClass: DeepReadonly<StorageClass> | undefined;
  /** Where our volumes' folders are. */
  readonly folder: string;
}

/** Leads a claim to a volume: the one it names, one that fits, or a new one. */
export function planClaim(view: ClaimView): ClaimStep {
  const { claim, volumes } = view;
  const named = claim.spec?.volumeName;
  if (named !== undefined && named !== "") {
    const volume = volumes.find(({ metadata }) => metadata.name === named);
    if (volume === undefined) return claim.status?.phase === "Bound" ? { type: "lost" } : { type: "wait" };
    if (!isFor(volume, claim))
      return volume.spec?.claimRef === undefined ? { type: "bind", volume } : { type: "lost" };
    return { type: "complete", volume };
  }
  const volume = matchVolume(claim, volumes);
  if (volume !== undefined) return { type: "bind", volume };
  return provision(view);
}

function provision({ claim, storageClass, folder }: ClaimView): ClaimStep {
  const className = claim.spec?.storageClassName ?? "";
  if (className === "") {
    const message = "no persistent volumes available for this claim and no storage class is set";
    return { type: "wait", note: { type: "Normal", reason: "FailedBinding", message } };
  }
  if (storageClass === undefined) {
    const message = `storageclass.storage.k8s.io "${className}" not found`;
    return { type: "wait", note: { type: "Warning", reason: "ProvisioningFailed", message } };
  }
  if (storageClass.provisioner !== provisioner) return { type: "wait" };
  const node = claim.metadata.annotations?.[selectedNode];
  if (storageClass.volumeBindingMode === "WaitForFirstConsumer" && node === undefined) {
    const message = "waiting for first consumer to be created before binding";
    return { type: "wait", note: { type: "Normal", reason: "WaitForFirstConsumer", message } };
  }
  const { namespace, name, uid } = claim.metadata;
  const path = `${folder}/pvc-${uid}_${namespace}_${name}`;
  return { type: "provision", path, volume: volumeFor({ claim, storageClass, path, node }) };
}

interface NewVolume {
  readonly claim: DeepReadonly<PersistentVolumeClaim>;
  readonly storageClass: DeepReadonly<StorageClass>;
  readonly path: string;
  readonly node: string | undefined;
}

function volumeFor({
  claim,
  storageClass,
  path,
  node,
}: NewVolume): Draft<PersistentVolume> & { metadata: { name: string } } {
  const { namespace, name, uid } = claim.metadata;
  const hostname = node === undefined ? { operator: "Exists" } : { operator: "In", values: [node] };
  return {
    metadata: {
      name: `pvc-${uid}`,
      annotations: { [provisionedBy]: provisioner, [boundByController]: "yes" },
    },
    spec: {
      capacity: { storage: claim.spec?.resources?.requests?.["storage"] ?? "1Gi" },
      accessModes: [...(claim.spec?.accessModes ?? [])],
      persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? "Delete",
      storageClassName: storageClass.metadata.name,
      volumeMode: claim.spec?.volumeMode ?? "Filesystem",
      claimRef: {
        apiVersion: apiVersionOf(PersistentVolumeClaim),
        kind: PersistentVolumeClaim.kind,
        namespace,
        name,
        uid,
      },
      local: { path },
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: "kubernetes.io/hostname", ...hostname }] }],
        },
      },
    },
  };
}
