import type { DeepReadonly } from "@kedge/machinery";
import type { PersistentVolume, PersistentVolumeClaim, Pod } from "@kedge/machinery/kinds/core/v1";
import type { StorageClass } from "@kedge/machinery/kinds/storage/v1";

/** What a pod's claims mean for its place. */
export type ClaimsPlan =
  | {
      readonly type: "ready";
      readonly volumes: readonly DeepReadonly<PersistentVolume>[];
      /** Claims that wait for a node to be chosen. */
      readonly toPlace: readonly DeepReadonly<PersistentVolumeClaim>[];
    }
  /** Nothing can be done before a claim has changed. */
  | { readonly type: "wait"; readonly reason: string };

/** Where claims, volumes and classes are looked up. */
export interface ClaimLookup {
  readonly claim: (name: string) => DeepReadonly<PersistentVolumeClaim> | undefined;
  readonly volume: (name: string) => DeepReadonly<PersistentVolume> | undefined;
  readonly storageClass: (name: string) => DeepReadonly<StorageClass> | undefined;
}

/** Finds the volumes of a pod, and the claims that only a node will bring one. */
export function planClaims(pod: DeepReadonly<Pod>, lookup: ClaimLookup): ClaimsPlan {
  const volumes: DeepReadonly<PersistentVolume>[] = [];
  const toPlace: DeepReadonly<PersistentVolumeClaim>[] = [];
  for (const { persistentVolumeClaim } of pod.spec.volumes ?? []) {
    if (persistentVolumeClaim === undefined) continue;
    const { claimName } = persistentVolumeClaim;
    const claim = lookup.claim(claimName);
    if (claim === undefined)
      return { type: "wait", reason: `persistentvolumeclaim "${claimName}" not found` };
    if (claim.metadata.deletionTimestamp !== undefined) {
      return { type: "wait", reason: `persistentvolumeclaim "${claimName}" is being deleted` };
    }
    const named = claim.spec?.volumeName ?? "";
    const volume = named === "" ? undefined : lookup.volume(named);
    if (volume !== undefined) volumes.push(volume);
    else if (named !== "") {
      return {
        type: "wait",
        reason: `persistentvolumeclaim "${claimName}" bound to non-existent persistentvolume "${named}"`,
      };
    } else if (
      lookup.storageClass(claim.spec?.storageClassName ?? "")?.volumeBindingMode === "WaitForFirstConsumer"
    ) {
      toPlace.push(claim);
    } else return { type: "wait", reason: "pod has unbound immediate PersistentVolumeClaims" };
  }
  return { type: "ready", volumes, toPlace };
}
