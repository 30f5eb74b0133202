import {
  compareQuantities,
  parseQuantity,
  selectorFromLabelSelector,
  selectorMatches,
  type DeepReadonly,
} from "@kedge/machinery";
import type { PersistentVolume, PersistentVolumeClaim } from "@kedge/machinery/kinds/core/v1";

type Claim = DeepReadonly<PersistentVolumeClaim>;
type Volume = DeepReadonly<PersistentVolume>;

/** The smallest free volume that fits a claim. */
export function matchVolume(claim: Claim, volumes: readonly Volume[]): Volume | undefined {
  return volumes
    .filter((volume) => isFree(volume) && fits(claim, volume))
    .toSorted((one, other) => compareQuantities(sizeOf(one), sizeOf(other)))[0];
}

/** Whether a volume's reference names this claim. */
export function isFor(volume: Volume, claim: Claim): boolean {
  const reference = volume.spec?.claimRef;
  return (
    reference?.namespace === claim.metadata.namespace &&
    reference.name === claim.metadata.name &&
    (reference.uid === undefined || reference.uid === claim.metadata.uid)
  );
}

function isFree({ metadata, spec, status }: Volume): boolean {
  return (
    spec?.claimRef === undefined && metadata.deletionTimestamp === undefined && status?.phase === "Available"
  );
}

function fits({ spec }: Claim, volume: Volume): boolean {
  const { accessModes = [], storageClassName = "", volumeMode = "Filesystem" } = volume.spec ?? {};
  const selector = spec?.selector === undefined ? undefined : selectorFromLabelSelector(spec.selector);
  return (
    storageClassName === (spec?.storageClassName ?? "") &&
    volumeMode === (spec?.volumeMode ?? "Filesystem") &&
    (spec?.accessModes ?? []).every((mode) => accessModes.includes(mode)) &&
    (selector === undefined || selectorMatches(selector, volume.metadata.labels ?? {})) &&
    compareQuantities(sizeOf(volume), parseQuantity(spec?.resources?.requests?.["storage"] ?? "0")) >= 0
  );
}

function sizeOf(volume: Volume): ReturnType<typeof parseQuantity> {
  return parseQuantity(volume.spec?.capacity?.["storage"] ?? "0");
}
