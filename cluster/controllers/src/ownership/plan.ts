import {
  controllerOf,
  selectorFromLabelSelector,
  selectorMatches,
  type LabelSelector,
  type OwnerReference,
  type Uid,
} from "@kedge/machinery";

/** An object that may belong to an owner. */
export interface Child {
  readonly metadata: {
    readonly namespace: string;
    readonly name: string;
    readonly uid: Uid;
    readonly labels?: Readonly<Record<string, string>> | undefined;
    readonly ownerReferences?: readonly Readonly<OwnerReference>[] | undefined;
    readonly deletionTimestamp?: string | undefined;
  };
}

/** Who looks for its children, and how it knows them. */
export interface Parent {
  readonly metadata: { readonly uid: Uid; readonly deletionTimestamp?: string | undefined };
  readonly selector: LabelSelector;
}

/** Whose owner changes. */
export interface OwnershipPlan<C extends Child> {
  readonly adopt: readonly C[];
  readonly release: readonly C[];
}

/** An owner takes what fits its selector and nobody controls, and gives up what it controls but does not fit any more. */
export function planOwnership<C extends Child>(parent: Parent, children: readonly C[]): OwnershipPlan<C> {
  if (parent.metadata.deletionTimestamp !== undefined) return { adopt: [], release: [] };
  const selector = selectorFromLabelSelector(parent.selector);
  const fits = ({ metadata }: C): boolean => selectorMatches(selector, metadata.labels ?? {});
  return {
    adopt: children.filter(
      (child) =>
        child.metadata.deletionTimestamp === undefined && controllerOf(child) === undefined && fits(child),
    ),
    release: children.filter((child) => controllerOf(child)?.uid === parent.metadata.uid && !fits(child)),
  };
}
