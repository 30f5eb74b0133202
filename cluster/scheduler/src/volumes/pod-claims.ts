import { bindCompletedAnnotation, type DeepReadonly } from "@kedge/machinery";
import type { Pod } from "@kedge/machinery/kinds/core/v1";
import type { Claim, VolumeCatalog } from "./volume-catalog.ts";

/** The claims of a pod. */
export interface PodClaims {
  readonly bound: readonly Claim[];
  /** Those whose class waits for a node to be chosen. */
  readonly waiting: readonly Claim[];
}

/** Finds the claims of a pod, or says why it cannot be placed at all before one of them has changed. */
export function podClaimsOf(
  pod: DeepReadonly<Pod>,
  catalog: VolumeCatalog,
): PodClaims | { readonly rejected: string } {
  const bound: Claim[] = [];
  const waiting: Claim[] = [];
  let isUnbound = false;
  for (const { name, isEphemeral } of claimNamesOf(pod)) {
    const claim = catalog.claim(pod.metadata.namespace, name);
    const rejected = whyNot(pod, { name, isEphemeral, claim });
    if (rejected !== undefined) return { rejected };
    if (claim === undefined) continue;
    if (isBound(claim)) bound.push(claim);
    else if (isDelayed(claim, catalog)) waiting.push(claim);
    else isUnbound = true;
  }
  return isUnbound ? { rejected: "pod has unbound immediate PersistentVolumeClaims" } : { bound, waiting };
}

/** The names of the claims that a pod's volumes stand for. */
export function claimNamesOf({ metadata, spec }: DeepReadonly<Pod>): readonly ClaimName[] {
  return (spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }): readonly ClaimName[] => {
    if (persistentVolumeClaim !== undefined) {
      return [{ name: persistentVolumeClaim.claimName, isEphemeral: false }];
    }
    return ephemeral === undefined ? [] : [{ name: `${metadata.name}-${name}`, isEphemeral: true }];
  });
}

interface ClaimName {
  readonly name: string;
  /** Whether it is made for the pod and goes with it. */
  readonly isEphemeral: boolean;
}

/** Whether claim and volume are bound to each other, and both sides know. */
export function isBound({ metadata, spec }: Claim): boolean {
  return (spec?.volumeName ?? "") !== "" && metadata.annotations?.[bindCompletedAnnotation] !== undefined;
}

/** The name of a claim's class; the annotation is how it was said long ago. */
export function classOf({ metadata, spec }: Claim): string {
  return metadata.annotations?.["volume.beta.kubernetes.io/storage-class"] ?? spec?.storageClassName ?? "";
}

function isDelayed(claim: Claim, catalog: VolumeCatalog): boolean {
  const { volumeBindingMode } = catalog.storageClass(classOf(claim)) ?? {};
  return volumeBindingMode === "WaitForFirstConsumer" && (claim.spec?.volumeName ?? "") === "";
}

function whyNot(
  { metadata }: DeepReadonly<Pod>,
  { name, isEphemeral, claim }: ClaimName & { readonly claim: Claim | undefined },
): string | undefined {
  if (claim === undefined) {
    return isEphemeral
      ? `waiting for ephemeral volume controller to create the persistentvolumeclaim "${name}"`
      : `persistentvolumeclaim "${name}" not found`;
  }
  if (claim.status?.phase === "Lost") {
    const volume = claim.spec?.volumeName ?? "";
    return `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${volume}"`;
  }
  if (claim.metadata.deletionTimestamp !== undefined) {
    return `persistentvolumeclaim "${name}" is being deleted`;
  }
  const owner = claim.metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (!isEphemeral || owner?.uid === metadata.uid) return undefined;
  const { namespace } = metadata;
  return `PVC ${namespace}/${name} was not created for pod ${namespace}/${metadata.name} (pod is not owner)`;
}
