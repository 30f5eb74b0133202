import {
  compareQuantities,
  formatTime,
  parseQuantity,
  provisionedByAnnotation,
  type DeepReadonly,
} from "@kedge/machinery";
import type {
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeClaimStatus,
} from "@kedge/machinery/kinds/core/v1";
import { localPathProvisioner } from "./local-path-class.ts";

type Claim = DeepReadonly<PersistentVolumeClaim>;
type Volume = DeepReadonly<PersistentVolume>;

/** What is to be done about a claim that may want to be larger. */
export type Expansion =
  /** The volume is smaller than the claim asks for. */
  | { readonly type: "grow"; readonly from: string; readonly to: string }
  /** The volume is large enough, and the claim does not say so yet. */
  | { readonly type: "tell"; readonly capacity: string }
  | { readonly type: "nothing" };

/** Compares what a claim asks for, what its volume has, and what it says that it has. */
export function planExpansion(claim: Claim, volume: Volume | undefined): Expansion {
  const { spec, status, metadata } = claim;
  const requested = spec?.resources?.requests?.["storage"];
  const size = volume?.spec?.capacity?.["storage"];
  const known = status?.capacity?.["storage"];
  if (metadata.deletionTimestamp !== undefined || status?.phase !== "Bound") return { type: "nothing" };
  if (volume?.metadata.annotations?.[provisionedByAnnotation] !== localPathProvisioner)
    return { type: "nothing" };
  if (volume.spec?.claimRef?.uid !== metadata.uid) return { type: "nothing" };
  if (requested === undefined || size === undefined || known === undefined) return { type: "nothing" };
  if (isLess(size, requested)) return { type: "grow", from: size, to: requested };
  return isLess(known, size) ? { type: "tell", capacity: size } : { type: "nothing" };
}

/** The status of a claim that has grown. */
export function grownStatus({ status }: Claim, capacity: string): object {
  return {
    capacity: { storage: capacity },
    allocatedResources: { storage: capacity },
    allocatedResourceStatuses: null,
    conditions: (status?.conditions ?? []).filter(({ type }) => !resizeConditions.has(type)),
  };
}

/** The status of a claim that cannot grow on this disk. */
export function infeasibleStatus(
  { status }: Claim,
  { to, message, now }: { readonly to: string; readonly message: string; readonly now: number },
): Pick<PersistentVolumeClaimStatus, "allocatedResources" | "allocatedResourceStatuses" | "conditions"> {
  const before = status?.conditions?.find(({ type }) => type === resizeError);
  const lastTransitionTime = before?.lastTransitionTime ?? formatTime(now);
  return {
    allocatedResources: { storage: to },
    allocatedResourceStatuses: { storage: "ControllerResizeInfeasible" },
    conditions: [
      ...(status?.conditions ?? [])
        .filter(({ type }) => !resizeConditions.has(type))
        .map((one) => ({ ...one })),
      { type: resizeError, status: "True", message, lastTransitionTime },
    ],
  };
}

const resizeError = "ControllerResizeError";
const resizeConditions: ReadonlySet<string> = new Set([
  "Resizing",
  "FileSystemResizePending",
  "ControllerResizeError",
  "NodeResizeError",
]);

function isLess(one: string, other: string): boolean {
  return compareQuantities(parseQuantity(one), parseQuantity(other)) < 0;
}
