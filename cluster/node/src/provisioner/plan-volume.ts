import { join } from "node:path";
import {
  apiVersionOf,
  provisionedByAnnotation,
  selectedNodeAnnotation,
  storageProvisionerAnnotation,
  type DeepReadonly,
  type Draft,
} from "@kedge/machinery";
import { PersistentVolumeClaim, type PersistentVolume } from "@kedge/machinery/kinds/core/v1";
import type { StorageClass } from "@kedge/machinery/kinds/storage/v1";
import { localPathProvisioner } from "./local-path-class.ts";
import { asksForImage, backingAnnotation, backingParameter, backings } from "../volumes/volume-image.ts";

/** The node that volumes are made on. */
export interface VolumeNode {
  readonly name: string;
  /** Where its volumes are. */
  readonly folder: string;
}

type Claim = DeepReadonly<PersistentVolumeClaim>;
type Volume = DeepReadonly<PersistentVolume>;

/** What a claim asks of a node: a volume, to say that it will be the one that makes it, or nothing. */
export function planVolume(claim: Claim, node: VolumeNode): "provision" | "select" | "nothing" {
  const { annotations = {}, deletionTimestamp } = claim.metadata;
  if (deletionTimestamp !== undefined || (claim.spec?.volumeName ?? "") !== "") return "nothing";
  if (annotations[storageProvisionerAnnotation] !== localPathProvisioner) return "nothing";
  const selected = annotations[selectedNodeAnnotation];
  // The class does not wait for a pod: whichever node says so first makes it.
  if (selected === undefined) return "select";
  return selected === node.name ? "provision" : "nothing";
}

/** The name of a claim's folder. People find their data by it. */
export function folderName({ namespace, name, uid }: Claim["metadata"]): string {
  return `pvc-${uid}_${namespace}_${name}`;
}

/** The uid of the claim that a folder was made for; undefined: it is none of ours. */
export function claimUidOf(folder: string): string | undefined {
  return /^pvc-([^_]+)_[^_]+_[^_]+$/u.exec(folder)?.[1];
}

/** What a claim or its class asks for that a folder cannot be; undefined: nothing. */
export function refusalOf(
  { spec }: Claim,
  { parameters, mountOptions }: DeepReadonly<StorageClass>,
): string | undefined {
  if (spec?.volumeMode === "Block")
    return "volumeMode Block: volumes of this provisioner are folders, ask for Filesystem";
  const { [backingParameter]: backing = "folder", ...others } = parameters ?? {};
  const [parameter] = Object.keys(others);
  if (parameter !== undefined)
    return `parameters.${parameter}: this provisioner has the parameter ${backingParameter} only`;
  if (!backings.some((one) => one === backing))
    return `parameters.${backingParameter} is ${backing}: must be ${backings.join(" or ")}`;
  if ((mountOptions ?? []).length > 0) return "mountOptions: a folder is not mounted, leave them out";
  return undefined;
}

/** The volume of a claim on a node. */
export function volumeFor(
  claim: Claim,
  storageClass: DeepReadonly<StorageClass>,
  node: VolumeNode,
): Draft<PersistentVolume> & {
  metadata: { name: string };
  spec: { capacity: { storage: string } };
} {
  const { namespace, name, uid } = claim.metadata;
  const hostname = { key: "kubernetes.io/hostname", operator: "In", values: [node.name] };
  return {
    metadata: {
      name: `pvc-${uid}`,
      annotations: {
        [provisionedByAnnotation]: localPathProvisioner,
        ...(asksForImage(storageClass) && { [backingAnnotation]: "loop" }),
      },
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
      local: { path: join(node.folder, folderName(claim.metadata)) },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [hostname] }] } },
    },
  };
}

/** Whether a volume is on this node. */
export function isOn({ spec }: Volume, node: VolumeNode): boolean {
  return (spec?.nodeAffinity?.required?.nodeSelectorTerms ?? []).some(({ matchExpressions = [] }) =>
    matchExpressions.some(
      ({ key, operator, values = [] }) =>
        key === "kubernetes.io/hostname" &&
        // Earlier versions wrote Exists where the class did not wait for a pod: there was one node.
        (operator === "Exists" || (operator === "In" && values.includes(node.name))),
    ),
  );
}

/**
 * The folder that goes with a volume which nobody claims any more; undefined: nothing is deleted. Only what we made for
 * the volume's own claim, on this node: name, annotation, claim and path must all say so. A volume that somebody wrote
 * to point at another's data is not believed.
 */
export function folderToDelete(volume: Volume, node: VolumeNode): string | undefined {
  const { metadata, spec, status } = volume;
  const { namespace, name, uid } = spec?.claimRef ?? {};
  if (status?.phase !== "Released" || spec?.persistentVolumeReclaimPolicy !== "Delete") return undefined;
  if (metadata.deletionTimestamp !== undefined || !isOn(volume, node)) return undefined;
  if (metadata.annotations?.[provisionedByAnnotation] !== localPathProvisioner) return undefined;
  if (uid === undefined || metadata.name !== `pvc-${uid}`) return undefined;
  const folder = `pvc-${uid}_${namespace}_${name}`;
  return spec.local?.path === join(node.folder, folder) ? folder : undefined;
}
