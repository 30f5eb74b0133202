import {
  bindCompletedAnnotation,
  selectedNodeAnnotation,
  storageProvisionerAnnotation,
  type DeepReadonly,
} from "@kedge/machinery";
import type { PersistentVolume, PersistentVolumeClaim } from "@kedge/machinery/kinds/core/v1";
import type { StorageClass } from "@kedge/machinery/kinds/storage/v1";
import { isFor, matchVolume } from "./match-volume.ts";

/** The next step for a claim. */
export type ClaimStep =
  | { readonly type: "bind"; readonly volume: DeepReadonly<PersistentVolume> }
  /** Whoever has this name is asked to make a volume. */
  | { readonly type: "provision"; readonly provisioner: string }
  | { readonly type: "complete"; readonly volume: DeepReadonly<PersistentVolume> }
  | { readonly type: "lost" }
  | { readonly type: "wait"; readonly note?: ClaimNote };

/** Why a claim waits, for its events. */
export interface ClaimNote {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

/** What the plan is made from. */
export interface ClaimView {
  readonly claim: DeepReadonly<PersistentVolumeClaim>;
  readonly volumes: readonly DeepReadonly<PersistentVolume>[];
  readonly storageClass: DeepReadonly<StorageClass> | undefined;
  /** Names of pods that want the claim and have no node yet. */
  readonly unplaced: readonly string[];
}

/** Leads a claim to a volume: the one it names, one that fits, or a new one that its class' provisioner makes. */
export function planClaim(view: ClaimView): ClaimStep {
  const { claim, volumes } = view;
  const named = claim.spec?.volumeName;
  if (named !== undefined && named !== "") {
    const volume = volumes.find(({ metadata }) => metadata.name === named);
    // Without its volume, or with one that is another's: a claim that had it has lost it, one that wants it waits.
    const without: ClaimStep = isBound(claim) ? { type: "lost" } : { type: "wait" };
    if (volume === undefined) return without;
    if (volume.spec?.claimRef === undefined) return { type: "bind", volume };
    if (!isFor(volume, claim)) return without;
    return isBound(claim) || volume.spec.claimRef.uid !== undefined
      ? { type: "complete", volume }
      : { type: "bind", volume };
  }
  const reserved = volumes.find((volume) => isFor(volume, claim));
  if (reserved !== undefined) return { type: "bind", volume: reserved };
  // Which volume fits depends on the node that is not chosen yet.
  const volume = isDelayed(view) ? undefined : matchVolume(claim, volumes);
  return volume === undefined ? provision(view) : { type: "bind", volume };
}

/** Whether claim and volume were bound to each other once. */
function isBound({ metadata, status }: ClaimView["claim"]): boolean {
  return status?.phase === "Bound" || metadata.annotations?.[bindCompletedAnnotation] !== undefined;
}

function isDelayed({ claim, storageClass }: ClaimView): boolean {
  const node = claim.metadata.annotations?.[selectedNodeAnnotation];
  return storageClass?.volumeBindingMode === "WaitForFirstConsumer" && node === undefined;
}

function provision(view: ClaimView): ClaimStep {
  const { claim, storageClass, unplaced } = view;
  const className = claim.spec?.storageClassName ?? "";
  if (className === "") {
    const message = "no persistent volumes available for this claim and no storage class is set";
    return { type: "wait", note: { type: "Normal", reason: "FailedBinding", message } };
  }
  if (storageClass === undefined) {
    const message = `storageclass.storage.k8s.io "${className}" not found`;
    return { type: "wait", note: { type: "Warning", reason: "ProvisioningFailed", message } };
  }
  if (isDelayed(view)) return { type: "wait", note: waitingFor(unplaced) };
  const { provisioner } = storageClass;
  if (provisioner.startsWith("kubernetes.io/")) {
    // Kubernetes' own, of which none is left: such as kubernetes.io/no-provisioner, for volumes that people make.
    const message = `no volume plugin matched name: ${provisioner}`;
    return { type: "wait", note: { type: "Warning", reason: "ProvisioningFailed", message } };
  }
  if (claim.metadata.annotations?.[storageProvisionerAnnotation] !== provisioner)
    return { type: "provision", provisioner };
  const message =
    `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the ` +
    `system administrator. If volume creation is delayed, please verify that the provisioner is running and ` +
    `correctly registered.`;
  return { type: "wait", note: { type: "Normal", reason: "ExternalProvisioning", message } };
}

function waitingFor(unplaced: readonly string[]): ClaimNote {
  if (unplaced.length === 0) {
    const message = "waiting for first consumer to be created before binding";
    return { type: "Normal", reason: "WaitForFirstConsumer", message };
  }
  const pods = `pod${unplaced.length > 1 ? "s" : ""} ${unplaced.join(",")}`;
  return { type: "Normal", reason: "WaitForPodScheduled", message: `waiting for ${pods} to be scheduled` };
}
