import { compareQuantities, parseQuantity, type DeepReadonly } from "@kedge/machinery";
import type { PersistentVolumeClaim } from "@kedge/machinery/kinds/core/v1";
import type { Refusal } from "@kedge/runtime";
import { canonicalQuantity } from "@kedge/schema";
import type { InstanceSpec } from "../kind.ts";
import { dataVolume } from "../names.ts";
import type { Observed } from "../observe.ts";
import { answering } from "../server-view.ts";
import { smallVolumeRefusals } from "../rules/volume-rules.ts";
import type { StorageOptions } from "../specs/stateful-set.ts";

type Claim = DeepReadonly<PersistentVolumeClaim>;

/** The volumes to ask for, and why they are not the ones that the spec wants. */
export interface StoragePlan {
  /** What the StatefulSet says of claims to come. Undefined: there are none, and none could be made as wanted. */
  readonly storage: StorageOptions | undefined;
  /** Claims that are to ask for another size. */
  readonly resizes: readonly ClaimResize[];
  readonly refusals: readonly Refusal[];
  /** Claims, deleted ones too, that cannot become what is wanted, and whose place others are to take. */
  readonly outdated: readonly Claim[];
}

/** A claim, and the size that it is to ask for. */
export interface ClaimResize {
  readonly claim: Claim;
  readonly size: string;
}

/** What there is already. Claims outlive the StatefulSet and the instance. */
export type PresentStorage = Pick<Observed, "statefulSet" | "claims" | "expandableClasses" | "servers">;

/** What the spec wants, and of how many pods. */
export interface WantedStorage {
  readonly storage: InstanceSpec["storage"];
  readonly replicas: number;
}

/**
 * Volumes keep their class, and are never made smaller; they grow in place when their class allows it. What is refused
 * leaves the claims and the StatefulSet's template as they are. A class that the spec leaves out is no wish. Claims of
 * pods that were scaled away are left alone until the pods come back. With `migrate`, and a copy to take the data from,
 * volumes that cannot become what is wanted are given up for others (`move-storage.ts`).
 */
export function planStorage(wanted: WantedStorage, present: PresentStorage): StoragePlan {
  const size = canonicalQuantity(wanted.storage.size);
  const { storageClassName } = wanted.storage;
  const { made, template, leaving } = readPresent(present);
  const first = template ?? made[0]?.storage;
  const tooSmall = smallVolumeRefusals(wanted.storage);
  if (first === undefined && tooSmall.length > 0)
    return { storage: undefined, resizes: [], refusals: tooSmall, outdated: [] };
  const used = made.filter(({ claim }) => ordinalOf(claim) < wanted.replicas);
  const isOutdated = ({ claim, storage }: Made): boolean =>
    ordinalOf(claim) < wanted.replicas &&
    ((storageClassName !== undefined && storage.storageClassName !== storageClassName) ||
      refuseSize(size, [{ claim, storage }], present.expandableClasses) !== undefined);
  const outdated = [...made, ...leaving].filter(isOutdated);
  const mayMove = wanted.storage.migrate === true && wanted.replicas > 1 && outdated.length > 0;
  const tight = mayMove ? [...tooSmall, ...refuseTight(size, present)] : [];
  if (mayMove && tight.length === 0)
    return {
      storage: { size, storageClassName: storageClassName ?? first?.storageClassName },
      resizes: resizesTo(
        size,
        used.filter((one) => !outdated.includes(one)),
      ),
      refusals: [],
      outdated: outdated.map(({ claim }) => claim),
    };
  const sizeRefusal = tight[0] ?? refuseSize(size, used, present.expandableClasses, wayToMove(wanted));
  const classRefusals = refuseClass(storageClassName, { template, made }, wayToMove(wanted));
  const refusals = [...(sizeRefusal === undefined ? [] : [sizeRefusal]), ...classRefusals];
  const kept = template?.size ?? largest(used) ?? size;
  return {
    storage: {
      size: sizeRefusal === undefined ? size : kept,
      storageClassName: first === undefined ? storageClassName : first.storageClassName,
    },
    resizes: sizeRefusal === undefined ? resizesTo(size, used) : [],
    refusals,
    outdated: [],
  };
}

/** How what is refused could come about all the same. */
function wayToMove({ storage, replicas }: WantedStorage): string {
  if (replicas > 1 && storage.migrate !== true)
    return ", or set spec.storage.migrate to true: each pod gets a new volume, and its data from the others";
  return replicas > 1 ? "" : ", or have two replicas or more and set spec.storage.migrate to true";
}

/** An append-only file, and beside it the shorter one that takes its place, must have room. */
function refuseTight(size: string, { servers }: PresentStorage): readonly Refusal[] {
  const used = Math.max(0, ...answering(servers).map(({ answer }) => answer.facts.memory.used));
  if (compareSizes(size, String(2 * used)) >= 0) return [];
  const message = `is ${size}, less than twice the ${used} bytes that the data take: a server could not write them down there; ask for more`;
  return [{ field: "spec.storage.size", message }];
}

/** A volume that there is. */
interface Made {
  readonly claim: Claim;
  readonly storage: StorageOptions;
}

function readPresent({ statefulSet, claims }: PresentStorage): {
  readonly template: StorageOptions | undefined;
  readonly made: readonly Made[];
  /** Those that are deleted, and there until their pods are gone. */
  readonly leaving: readonly Made[];
} {
  const all = claims
    .toSorted((one, other) => ordinalOf(one) - ordinalOf(other))
    .flatMap((claim): readonly Made[] => {
      const storage = storageOf(claim);
      return storage === undefined ? [] : [{ claim, storage }];
    });
  return {
    made: all.filter(({ claim }) => claim.metadata.deletionTimestamp === undefined),
    leaving: all.filter(({ claim }) => claim.metadata.deletionTimestamp !== undefined),
    template: templateStorage(statefulSet),
  };
}

/** What a StatefulSet says of claims to come. */
export function templateStorage(statefulSet: Observed["statefulSet"]): StorageOptions | undefined {
  const templates = statefulSet?.spec?.volumeClaimTemplates ?? [];
  return storageOf(templates.find(({ metadata }) => metadata.name === dataVolume));
}

function storageOf(
  claim: { readonly spec?: DeepReadonly<PersistentVolumeClaim["spec"]> | undefined } | undefined,
): StorageOptions | undefined {
  const size = claim?.spec?.resources?.requests?.["storage"];
  return size === undefined
    ? undefined
    : { size: canonicalQuantity(size), storageClassName: claim?.spec?.storageClassName };
}

/** Which pod's a claim is. */
export function ordinalOf({ metadata }: Claim): number {
  return Number(metadata.name.slice(metadata.name.lastIndexOf("-") + 1));
}

function refuseSize(
  size: string,
  used: readonly Made[],
  expandableClasses: ReadonlySet<string>,
  way = "",
): Refusal | undefined {
  const field = "spec.storage.size";
  const larger = used.find((one) => compareSizes(size, one.storage.size) < 0 && !canGoBack(one.claim, size));
  if (larger !== undefined) {
    const back = largest(used) ?? larger.storage.size;
    const message = `is ${size}, but the volume of claim ${larger.claim.metadata.name} was asked for with ${larger.storage.size}, and volumes cannot shrink: set it back to ${back}${way}, or make another instance and move the data there`;
    return { field, message };
  }
  const fixed = used.find(
    ({ storage }) =>
      compareSizes(size, storage.size) > 0 && !expandableClasses.has(storage.storageClassName ?? ""),
  );
  if (fixed === undefined) return undefined;
  const { storageClassName: className = "", size: present } = fixed.storage;
  const why =
    className === ""
      ? "it has no storage class that could let it grow"
      : `its storage class ${className} does not let volumes grow`;
  const allow =
    className === ""
      ? ""
      : `, or, if its driver can do it, allow it: kubectl patch storageclass ${className} -p '{"allowVolumeExpansion":true}'`;
  const message = `is ${size}, but the volume of claim ${fixed.claim.metadata.name} has ${present} and stays so, as ${why}: set it back to ${present}${allow}${way}`;
  return { field, message };
}

/** A wish for more that was not fulfilled yet may be taken back, to anything above what the volume has. */
function canGoBack({ status }: Claim, size: string): boolean {
  const capacity = status?.capacity?.["storage"];
  return status?.phase === "Bound" && capacity !== undefined && compareSizes(size, capacity) > 0;
}

/** A claim without a volume yet cannot be changed; it is when it has one. */
function resizesTo(size: string, used: readonly Made[]): readonly ClaimResize[] {
  return used
    .filter(({ claim, storage }) => claim.status?.phase === "Bound" && compareSizes(size, storage.size) !== 0)
    .map(({ claim }) => ({ claim, size }));
}

/** The volumes tell which class a template without one has meant. */
function refuseClass(
  storageClassName: string | undefined,
  { template, made }: { readonly template: StorageOptions | undefined; readonly made: readonly Made[] },
  way: string,
): readonly Refusal[] {
  if (storageClassName === undefined || storageClassName === template?.storageClassName) return [];
  const present =
    made.length > 0 ? made.map(({ storage }) => storage) : template === undefined ? [] : [template];
  const other = present.find((one) => one.storageClassName !== storageClassName);
  if (other === undefined) return [];
  const back =
    other.storageClassName === undefined ? "leave it out" : `set it back to ${other.storageClassName}`;
  return [
    {
      field: "spec.storage.storageClassName",
      message: `is ${storageClassName}, but the volumes were made with ${other.storageClassName ?? "the cluster's default"} and stay so: ${back}${way}`,
    },
  ];
}

function largest(made: readonly Made[]): string | undefined {
  return made.map(({ storage }) => storage.size).toSorted((one, other) => compareSizes(other, one))[0];
}

/** Less than 0: the first is smaller. */
export function compareSizes(one: string, other: string): number {
  return compareQuantities(parseQuantity(one), parseQuantity(other));
}
