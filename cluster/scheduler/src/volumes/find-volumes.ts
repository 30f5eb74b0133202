import {
  labelOf,
  matchesNodeTerms,
  selectedNodeAnnotation,
  type DeepReadonly,
  type Labels,
  type SelectableNode,
} from "@kedge/machinery";
import type { StorageClass } from "@kedge/machinery/kinds/storage/v1";
import { amountOf } from "../view/resources.ts";
import { matchingVolume } from "./matching-volume.ts";
import { classOf, type PodClaims } from "./pod-claims.ts";
import {
  nothingToBind,
  type Claim,
  type Volume,
  type VolumeCatalog,
  type VolumePlan,
} from "./volume-catalog.ts";

/** What can be done for a pod's claims on a node, or why the node will not do. */
export type FoundVolumes = VolumePlan | { readonly reasons: readonly string[] };

const elsewhere = "node(s) didn't match PersistentVolume's node affinity";
const unbindable = "node(s) didn't find available persistent volumes to bind";
const missing = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";

/** Looks for the volumes of a pod's claims from a node: those that are bound, those that could be, and those to make. */
export function findVolumes(claims: PodClaims, node: SelectableNode, catalog: VolumeCatalog): FoundVolumes {
  const reasons: string[] = [];
  const isMissing = claims.bound.some((claim) => volumeOf(claim, catalog) === undefined);
  const reach = claims.bound
    .map((claim) => volumeOf(claim, catalog))
    .every((volume) => isReachable(volume, node));
  if (!reach) reasons.push(elsewhere);
  const plan = planWaiting(claims.waiting, node, catalog);
  if (plan === undefined) reasons.push(unbindable);
  if (isMissing) reasons.push(missing);
  return plan === undefined || reasons.length > 0 ? { reasons } : plan;
}

function volumeOf({ spec }: Claim, catalog: VolumeCatalog): Volume | undefined {
  return catalog.volume(spec?.volumeName ?? "");
}

/** Whether a volume can be used from a node. */
export function isReachable(volume: Volume | undefined, node: SelectableNode): boolean {
  const terms = volume?.spec?.nodeAffinity?.required?.nodeSelectorTerms;
  return terms === undefined || matchesNodeTerms(terms, node);
}

function planWaiting(
  claims: readonly Claim[],
  node: SelectableNode,
  catalog: VolumeCatalog,
): VolumePlan | undefined {
  if (claims.length === 0) return nothingToBind;
  const bindings: { readonly claim: Claim; readonly volume: Volume }[] = [];
  const provisions: Claim[] = [];
  const open: Claim[] = [];
  for (const claim of claims) {
    const selected = claim.metadata.annotations?.[selectedNodeAnnotation];
    if (selected === undefined) open.push(claim);
    else if (selected === node.name) provisions.push(claim);
    else return undefined;
  }
  const chosen = new Set<string>();
  for (const claim of open.toSorted((one, other) => sizeOf(one) - sizeOf(other))) {
    const volume = matchingVolume(claim, catalog.volumesOfClass(classOf(claim)), { node, chosen });
    if (volume === undefined) {
      provisions.push(claim);
      continue;
    }
    chosen.add(volume.metadata.name);
    bindings.push({ claim, volume });
  }
  const isPossible = provisions.every((claim) =>
    canProvision(catalog.storageClass(classOf(claim)), node.labels),
  );
  return isPossible ? { bindings, provisions } : undefined;
}

function sizeOf({ spec }: Claim): number {
  const size = spec?.resources?.requests?.["storage"];
  return size === undefined ? 0 : amountOf("storage", size);
}

function canProvision(storageClass: DeepReadonly<StorageClass> | undefined, labels: Labels): boolean {
  const { provisioner = "", allowedTopologies = [] } = storageClass ?? {};
  if (provisioner === "" || provisioner === "kubernetes.io/no-provisioner") return false;
  if (allowedTopologies.length === 0) return true;
  return allowedTopologies.some(
    ({ matchLabelExpressions = [] }) =>
      matchLabelExpressions.length > 0 &&
      matchLabelExpressions.every(({ key, values }) => {
        const value = labelOf(labels, key);
        return value !== undefined && values.includes(value);
      }),
  );
}
