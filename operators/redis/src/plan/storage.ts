import { compareQuantities, parseQuantity, type DeepReadonly } from "@kedge/machinery";
import type { Refusal } from "@kedge/runtime";
import { canonicalQuantity } from "@kedge/schema";
import type { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import type { RedisInstance } from "../kind.ts";
import { dataVolume } from "../names.ts";
import type { StorageOptions } from "../specs/stateful-set.ts";

/** The volumes to ask for, and why they are not the ones that the spec wants. */
export interface StoragePlan {
  readonly storage: StorageOptions;
  readonly refusals: readonly Refusal[];
}

/** Volumes of a StatefulSet that exists stay as they are: Kubernetes does not let them be changed in place. */
export function planStorage(
  wanted: DeepReadonly<RedisInstance["spec"]["storage"]>,
  existing: DeepReadonly<StatefulSet> | undefined,
): StoragePlan {
  const storage = { size: canonicalQuantity(wanted.size), storageClassName: wanted.storageClassName };
  const present = presentStorage(existing);
  if (present === undefined) return { storage, refusals: [] };
  return {
    storage: present,
    refusals: [...sizeRefusals(storage, present), ...classRefusals(storage, present)],
  };
}

function presentStorage(existing: DeepReadonly<StatefulSet> | undefined): StorageOptions | undefined {
  const claim = existing?.spec?.volumeClaimTemplates?.find(({ metadata }) => metadata.name === dataVolume);
  const size = claim?.spec.resources?.requests?.["storage"];
  return size === undefined ? undefined : { size, storageClassName: claim?.spec.storageClassName };
}

function sizeRefusals(wanted: StorageOptions, present: StorageOptions): readonly Refusal[] {
  const difference = compareQuantities(parseQuantity(wanted.size), parseQuantity(present.size));
  if (difference === 0) return [];
  const what = difference > 0 ? "growing volumes is not there yet" : "volumes cannot shrink";
  return [
    {
      field: "spec.storage.size",
      message: `is ${wanted.size}, but the volumes were made with ${present.size} and stay so: ${what}; set it back to ${present.size}`,
    },
  ];
}

function classRefusals(wanted: StorageOptions, present: StorageOptions): readonly Refusal[] {
  if (wanted.storageClassName === present.storageClassName) return [];
  const back =
    present.storageClassName === undefined ? "leave it out" : `set it back to ${present.storageClassName}`;
  return [
    {
      field: "spec.storage.storageClassName",
      message: `is ${named(wanted.storageClassName)}, but the volumes were made with ${named(present.storageClassName)} and stay so: moving data to another class is not there yet; ${back}`,
    },
  ];
}

function named(storageClass: string | undefined): string {
  return storageClass ?? "the cluster's default";
}
