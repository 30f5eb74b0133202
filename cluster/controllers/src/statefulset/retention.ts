import {
  controllerOf,
  controllerReference,
  deepEqual,
  withTypeMeta,
  type DeepReadonly,
  type OwnerReference,
} from "@kedge/machinery";
import { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import { Pod, type PersistentVolumeClaim } from "@kedge/machinery/kinds/core/v1";

type Claim = DeepReadonly<PersistentVolumeClaim>;

/** Whose place a claim is at. */
export interface Place {
  readonly set: DeepReadonly<StatefulSet>;
  readonly pod: DeepReadonly<Pod>;
  /** Whether the set is too small for this place. */
  readonly isSurplus: boolean;
}

/**
 * The owners that a claim is to have, undefined when it has them: by the set's policy it goes with the set, or with the
 * pod of a place that is given up, or stays.
 */
export function claimOwners(claim: Claim, { set, pod, isSurplus }: Place): OwnerReference[] | undefined {
  const before = (claim.metadata.ownerReferences ?? []).map((reference) => ({ ...reference }));
  const others = before.filter(({ uid }) => uid !== set.metadata.uid && uid !== pod.metadata.uid);
  const { whenDeleted, whenScaled } = set.spec.persistentVolumeClaimRetentionPolicy ?? {};
  const owners = [...others];
  // A claim that somebody else controls is theirs to keep or to delete.
  if (!others.some(({ controller }) => controller === true)) {
    if (isSurplus && whenScaled === "Delete") {
      owners.push(controllerReference(withTypeMeta(Pod, pod)));
    } else if (whenDeleted === "Delete") {
      owners.push(controllerReference(withTypeMeta(StatefulSet, set)));
    }
  }
  return deepEqual(owners, before) ? undefined : owners;
}

/** Whether a claim is about to go: it is being deleted, or it goes with an earlier pod of its place. */
export function isStale(claim: Claim, podName: string): boolean {
  const owner = controllerOf(claim);
  return (
    claim.metadata.deletionTimestamp !== undefined || (owner?.kind === Pod.kind && owner.name === podName)
  );
}
