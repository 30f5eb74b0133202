import {
  controllerOf,
  selectorFromLabelSelector,
  selectorMatches,
  type Kind,
  type LabelSelector,
  type ObjectKey,
} from "@kedge/machinery";
import type { ControllerHost } from "@kedge/runtime";
import type { Child } from "./plan.ts";

interface Owner {
  readonly metadata: { readonly namespace: string; readonly name: string };
  readonly spec: { readonly selector?: LabelSelector | undefined };
}

/** Which objects of a kind a watched object concerns that nobody controls: one of them will adopt it. */
export function adoptersAmong<T extends Owner>(kind: Kind<T, "Namespaced">): AdoptersOf {
  return (child, _previous, { informers }) =>
    adopters(child, informers.of(kind).list({ namespace: child.metadata.namespace }));
}

type AdoptersOf = (
  child: Pick<Child, "metadata">,
  previous: unknown,
  host: ControllerHost,
) => readonly ObjectKey[];

/** The owners whose selector an object fits that nobody controls: one of them will adopt it. */
export function adopters(child: Pick<Child, "metadata">, owners: readonly Owner[]): readonly ObjectKey[] {
  if (controllerOf(child) !== undefined || child.metadata.deletionTimestamp !== undefined) return [];
  return owners
    .filter(({ spec }) =>
      selectorMatches(selectorFromLabelSelector(spec.selector), child.metadata.labels ?? {}),
    )
    .map(({ metadata }) => metadata);
}
