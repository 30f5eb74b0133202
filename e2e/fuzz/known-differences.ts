import type { Difference } from "../differential/transcript/compare.ts";
import type { FuzzKind } from "./fuzz-kind.ts";

/** A difference that is not ours, or that waits for something. Every other one is a bug of ours. */
interface KnownDifference {
  readonly why: string;
  readonly is: (kind: FuzzKind, difference: Difference) => boolean;
}

/** None at present. What cannot be compared at all is left out in `unstable.ts`. */
const knownDifferences: readonly KnownDifference[] = [];

/** Whether a difference is on the list. */
export function isKnown(kind: FuzzKind, difference: Difference): boolean {
  return knownDifferences.some(({ is }) => is(kind, difference));
}
