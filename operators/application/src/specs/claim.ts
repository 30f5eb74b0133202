import type { ApplyObject } from "@kedge/client";
import type { DeepReadonly } from "@kedge/machinery";
import type { PersistentVolumeClaim } from "@kedge/machinery/kinds/core/v1";
import { canonicalQuantity } from "@kedge/schema";
import type { Application } from "../kind.ts";
import { claimNameOf, labelsOf } from "../names.ts";
import type { ApplicationKey } from "./application-key.ts";

/** One claim of an application's spec. */
export type ClaimSpec = NonNullable<
  NonNullable<DeepReadonly<Application>["spec"]["storage"]>["persistentVolumeClaims"]
>[number];

/** The claim of a volume that all pods of the application share. */
export function claimOf(
  { namespace, name }: ApplicationKey,
  claim: ClaimSpec,
): ApplyObject<PersistentVolumeClaim> {
  const { size, accessModes, storageClassName } = claim;
  return {
    metadata: { namespace, name: claimNameOf(name, claim.name), labels: labelsOf(name) },
    spec: {
      accessModes: [...accessModes],
      resources: { requests: { storage: canonicalQuantity(size) } },
      ...(storageClassName !== undefined && { storageClassName }),
    },
  };
}
