import {
  matchesNodeTerms,
  selectorFromLabelSelector,
  selectorMatches,
  type SelectableNode,
} from "@kedge/machinery";
import { amountOf } from "../view/resources.ts";
import type { Claim, Volume } from "./volume-catalog.ts";

/** From where a volume is looked for, and which are given away already. */
export interface MatchFrom {
  readonly node: SelectableNode;
  readonly chosen: ReadonlySet<string>;
}

/** The volume that was reserved for a claim, or the smallest that fits it and can be used from the node. */
export function matchingVolume(claim: Claim, volumes: Iterable<Volume>, from: MatchFrom): Volume | undefined {
  const wanted = storageOf(claim.spec?.resources?.requests);
  let smallest: { readonly volume: Volume; readonly size: number } | undefined;
  for (const volume of volumes) {
    if (from.chosen.has(volume.metadata.name) || !isCandidate(claim, volume, wanted)) continue;
    const terms = volume.spec?.nodeAffinity?.required?.nodeSelectorTerms;
    const isNear = terms === undefined || matchesNodeTerms(terms, from.node);
    if (volume.spec?.claimRef !== undefined) return isNear ? volume : undefined;
    if (!isNear || !isFree(claim, volume)) continue;
    const size = storageOf(volume.spec?.capacity);
    if (smallest === undefined || size < smallest.size) smallest = { volume, size };
  }
  return smallest?.volume;
}

/** Whether a volume could be the claim's, now or because it was reserved for it. */
function isCandidate(claim: Claim, { metadata, spec }: Volume, wanted: number): boolean {
  return (
    (spec?.claimRef === undefined || isReserved(claim, spec.claimRef)) &&
    storageOf(spec?.capacity) >= wanted &&
    modeOf(claim.spec) === modeOf(spec) &&
    (claim.spec?.volumeAttributesClassName ?? "") === (spec?.volumeAttributesClassName ?? "") &&
    metadata.deletionTimestamp === undefined
  );
}

function modeOf(spec: { readonly volumeMode?: string | undefined } | undefined): string {
  return spec?.volumeMode ?? "Filesystem";
}

function isReserved({ metadata }: Claim, ref: NonNullable<NonNullable<Volume["spec"]>["claimRef"]>): boolean {
  const isNamed = ref.namespace === metadata.namespace && ref.name === metadata.name;
  return isNamed && ((ref.uid ?? "") === "" || ref.uid === metadata.uid);
}

function isFree({ spec: wanted }: Claim, { metadata, spec, status }: Volume): boolean {
  if (status?.phase !== "Available") return false;
  const { selector, accessModes = [] } = wanted ?? {};
  if (selector !== undefined && !selectorMatches(selectorFromLabelSelector(selector), metadata.labels))
    return false;
  return accessModes.every((mode) => spec?.accessModes?.includes(mode) === true);
}

function storageOf(amounts: Readonly<Record<string, string>> | undefined): number {
  const size = amounts?.["storage"];
  return size === undefined ? 0 : amountOf("storage", size);
}
