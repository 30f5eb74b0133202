/** A wish of the spec that is not carried out. What it concerns stays as it is. */
export interface Refusal {
  /** `spec.storage.size` */
  readonly field: string;
  /** The rule, and the way out; goes behind the field. */
  readonly message: string;
}

/** All refusals as one text for people. */
export function refusalText(refusals: readonly Refusal[]): string {
  return refusals.map(({ field, message }) => `${field} ${message}`).join("; ");
}
