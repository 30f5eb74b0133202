import type { DeepReadonly } from "@kedge/machinery";
import type { PersistentVolume, PersistentVolumeClaim } from "@kedge/machinery/kinds/core/v1";
import type { StorageClass } from "@kedge/machinery/kinds/storage/v1";

/** A claim as the caches hand it out. */
export type Claim = DeepReadonly<PersistentVolumeClaim>;
/** A volume as the caches hand it out. */
export type Volume = DeepReadonly<PersistentVolume>;

/** Where claims, volumes and classes are looked up, with what we have promised of them already. */
export interface VolumeCatalog {
  claim(namespace: string, name: string): Claim | undefined;
  volume(name: string): Volume | undefined;
  volumesOfClass(name: string): Iterable<Volume>;
  storageClass(name: string): DeepReadonly<StorageClass> | undefined;
}

/** What a node has for the claims of a pod that have no volume yet. */
export interface VolumePlan {
  /** Volumes that exist and become those of the claims. */
  readonly bindings: readonly { readonly claim: Claim; readonly volume: Volume }[];
  /** Claims whose volumes will be made on the node. */
  readonly provisions: readonly Claim[];
}

/** Nothing is left to be done. */
export const nothingToBind: VolumePlan = { bindings: [], provisions: [] };
