import { compareQuantities, parseQuantity, type DeepReadonly } from "@kedge/machinery";
import type { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import type { PersistentVolumeClaim } from "@kedge/machinery/kinds/core/v1";
import type { Refusal } from "@kedge/runtime";
import { canonicalQuantity } from "@kedge/schema";
import type { RedisInstance } from "../kind.ts";
import { dataVolume } from "../names.ts";
import type { StorageOptions } from "../specs/stateful-set.ts";

/** The volumes to ask for, and why they are not the ones that the spec wants. */
export interface StoragePlan {
  /** Undefined: there are none yet, and none could be made as the spec wants them. */
  readonly storage: StorageOptions | undefined;
  readonly refusals: readonly Refusal[];
}

/** What there is already. */
export interface PresentStorage {
  readonly statefulSet: DeepReadonly<StatefulSet> | undefined;
  /** They outlive the StatefulSet and the instance. */
  readonly claims: readonly DeepReadonly<PersistentVolumeClaim>[];
}

/**
 * Volumes stay as they were made, and so does what the StatefulSet says of those to come: Kubernetes does not let it be
 * changed in place. A class that the spec leaves out is no wish: what is there is kept.
 */
export function planStorage(
  wanted: DeepReadonly<RedisInstance["spec"]["storage"]>,
  { statefulSet, claims }: PresentStorage,
): StoragePlan {
  const storage = { size: canonicalQuantity(wanted.size), storageClassName: wanted.storageClassName };
  const made = claims
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .toSorted((one, other) => ordinalOf(one) - ordinalOf(other))
    .flatMap((claim) => presentStorage(claim) ?? []);
  const template = presentStorage(
    statefulSet?.spec?.volumeClaimTemplates?.find(({ metadata }) => metadata.name === dataVolume),
  );
  const present = template ?? made[0];
  if (present === undefined && compareSizes(storage.size, smallest) < 0)
    return { storage: undefined, refusals: [tooSmall(String(wanted.size))] };
  return {
    storage: present ?? storage,
    refusals: [...sizeRefusals(storage, { template, made }), ...classRefusals(storage, { template, made })],
  };
}

/** An empty Redis with its append-only file needs a few kilobytes; whoever asks for less meant another unit. */
const smallest = "1Mi";

function tooSmall(size: string): Refusal {
  return {
    field: "spec.storage.size",
    message: `is ${size}, less than ${smallest}, in which no Redis could keep anything: name a size such as 1Gi (m is a thousandth, M and Mi are millions)`,
  };
}

interface Made {
  /** Of the volumes to come. */
  readonly template: StorageOptions | undefined;
  /** The volumes that there are. */
  readonly made: readonly StorageOptions[];
}

function presentStorage(
  claim: { readonly spec?: DeepReadonly<PersistentVolumeClaim["spec"]> | undefined } | undefined,
): StorageOptions | undefined {
  const size = claim?.spec?.resources?.requests?.["storage"];
  return size === undefined
    ? undefined
    : { size: canonicalQuantity(size), storageClassName: claim?.spec?.storageClassName };
}

/** Which pod's a claim is. */
export function ordinalOf({ metadata }: DeepReadonly<PersistentVolumeClaim>): number {
  return Number(metadata.name.slice(metadata.name.lastIndexOf("-") + 1));
}

function sizeRefusals({ size }: StorageOptions, { template, made }: Made): readonly Refusal[] {
  const present = [...made, ...(template === undefined ? [] : [template])].find(
    (one) => compareSizes(size, one.size) !== 0,
  );
  if (present === undefined) return [];
  const what =
    compareSizes(size, present.size) > 0 ? "growing volumes is not there yet" : "volumes cannot shrink";
  return [
    {
      field: "spec.storage.size",
      message: `is ${size}, but the volumes were made with ${present.size} and stay so: ${what}; set it back to ${present.size}`,
    },
  ];
}

/** The volumes tell which class a template without one has meant. */
function classRefusals({ storageClassName }: StorageOptions, { template, made }: Made): readonly Refusal[] {
  if (storageClassName === undefined || storageClassName === template?.storageClassName) return [];
  const present = made.length > 0 ? made : [template].filter((one) => one !== undefined);
  const other = present.find((one) => one.storageClassName !== storageClassName);
  if (other === undefined) return [];
  const back =
    other.storageClassName === undefined ? "leave it out" : `set it back to ${other.storageClassName}`;
  return [
    {
      field: "spec.storage.storageClassName",
      message: `is ${storageClassName}, but the volumes were made with ${other.storageClassName ?? "the cluster's default"} and stay so: moving data to another class is not there yet; ${back}`,
    },
  ];
}

function compareSizes(one: string, other: string): number {
  return compareQuantities(parseQuantity(one), parseQuantity(other));
}
