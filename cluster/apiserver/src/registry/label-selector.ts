import type { LabelSelector } from "@kedge/machinery";
import type { LabelSelector as WireLabelSelector } from "@kedge/machinery/kinds/meta/v1";
import type { Decoded } from "./decoded.ts";

/** A selector as it was sent, with nothing missing that matching needs. */
export function labelSelectorOf(selector: Decoded<WireLabelSelector> | undefined): LabelSelector | undefined {
  // Null where Kubernetes writes a selector that is not set.
  if ((selector ?? null) === null || selector === undefined) return undefined;
  return {
    ...(selector.matchLabels !== undefined && { matchLabels: labelsOf(selector.matchLabels) }),
    ...(selector.matchExpressions !== undefined && {
      matchExpressions: selector.matchExpressions.map(({ key = "", operator = "", values }) => ({
        key,
        operator,
        ...(values !== undefined && (values ?? null) !== null && { values }),
      })),
    }),
  };
}

/** A selector as errors show it: with its fields in Go's order. */
export function shownSelector(selector: Decoded<WireLabelSelector> | undefined): unknown {
  if ((selector ?? null) === null || selector === undefined) return null;
  const fields = ["matchLabels", "matchExpressions"] as const;
  return new Map(
    fields.filter((field) => selector[field] !== undefined).map((field) => [field, selector[field]]),
  );
}

/** Labels as they were sent, without those that are undefined. */
export function labelsOf(
  labels: Readonly<Record<string, string | undefined>> | undefined,
): Record<string, string> {
  const known = Object.entries(labels ?? {}).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return Object.fromEntries(known);
}
