import { compareQuantities, deepEqual, parseQuantity, type DeepReadonly } from "@kedge/machinery";
import type { PersistentVolumeClaim } from "@kedge/machinery/kinds/core/v1";
import type { ApplyObject } from "@kedge/client";
import type { Refusal } from "@kedge/runtime";
import { canonicalQuantity } from "@kedge/schema";
import { claimNameOf } from "../names.ts";
import { claimOf, type ClaimSpec } from "../specs/claim.ts";
import type { Observed } from "../observe.ts";

/** The claims to make, and what is wanted of those that exist and cannot be. */
export interface ClaimsPlan {
  readonly claims: readonly ApplyObject<PersistentVolumeClaim>[];
  readonly refusals: readonly Refusal[];
}

/**
 * Claims are made once. They are not changed, and not deleted when the spec no longer names them: data is only deleted
 * with the application itself, if its deletion policy says so.
 */
export function planClaims({
  application,
  claims: present,
}: Pick<Observed, "application" | "claims">): ClaimsPlan {
  const { metadata, spec } = application;
  const wanted = spec.storage?.persistentVolumeClaims ?? [];
  const found = new Map(present.map((claim) => [claim.metadata.name, claim]));
  const nameOf = (claim: ClaimSpec): string => claimNameOf(metadata.name, claim.name);
  return {
    claims: wanted.filter((claim) => !found.has(nameOf(claim))).map((claim) => claimOf(metadata, claim)),
    refusals: wanted.flatMap((claim) => refusalsOf(claim, found.get(nameOf(claim)))),
  };
}

function refusalsOf(
  wanted: ClaimSpec,
  present: DeepReadonly<PersistentVolumeClaim> | undefined,
): readonly Refusal[] {
  if (present === undefined) return [];
  const field = `spec.storage.persistentVolumeClaims[${wanted.name}]`;
  const { resources, storageClassName, accessModes = [] } = present.spec;
  const size = resources?.requests?.["storage"] ?? "0";
  const refusals: Refusal[] = [];
  const refuse = (part: string, now: string): void => {
    const message = `cannot be changed: the claim ${present.metadata.name} was made with ${now} and stays so; set it back`;
    refusals.push({ field: `${field}.${part}`, message });
  };
  if (compareQuantities(parseQuantity(canonicalQuantity(wanted.size)), parseQuantity(size)) !== 0) {
    refuse("size", size);
  }
  // Without one in the spec, it is the default class of the day on which the claim was made.
  if (wanted.storageClassName !== undefined && wanted.storageClassName !== storageClassName) {
    refuse("storageClassName", storageClassName ?? "none");
  }
  if (!deepEqual([...wanted.accessModes].toSorted(), [...accessModes].toSorted())) {
    refuse("accessModes", accessModes.join(", "));
  }
  return refusals;
}
