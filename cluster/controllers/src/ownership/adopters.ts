import {
  controllerOf,
  selectorFromLabelSelector,
  selectorMatches,
  type LabelSelector,
  type ObjectKey,
} from "@kedge/machinery";
import type { Child } from "./plan.ts";

/** The owners whose selector an object fits that nobody controls: one of them will adopt it. */
export function adopters(
  child: Pick<Child, "metadata">,
  owners: readonly {
    readonly metadata: { readonly namespace: string; readonly name: string };
    readonly spec: { readonly selector?: LabelSelector | undefined };
  }[],
): readonly ObjectKey[] {
  if (controllerOf(child) !== undefined || child.metadata.deletionTimestamp !== undefined) return [];
  return owners
    .filter(({ spec }) =>
      selectorMatches(selectorFromLabelSelector(spec.selector), child.metadata.labels ?? {}),
    )
    .map(({ metadata }) => metadata);
}
