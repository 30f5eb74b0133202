import { deepEqual, formatTime, type DeepReadonly } from "@kedge/machinery";
import type { NamespaceCondition } from "@kedge/machinery/kinds/core/v1";

/** Objects of one kind that are still in a namespace. */
export interface Remains {
  /** As discovery names it: `pods.`, `deployments.apps`. */
  readonly resource: string;
  readonly objects: readonly { readonly finalizers: readonly string[] }[];
}

/** What a namespace that is being deleted says about what is left in it. Times stay while a condition does. */
export function emptyingConditions(
  remains: readonly Remains[],
  before: readonly DeepReadonly<NamespaceCondition>[],
  now: number,
): readonly NamespaceCondition[] {
  return [...found, contentCondition(remains), finalizersCondition(remains)].map((next) => {
    const known = before.find(({ type }) => type === next.type);
    const since = known?.status === next.status ? known.lastTransitionTime : undefined;
    const condition = { ...next, lastTransitionTime: since ?? formatTime(now) };
    return known !== undefined && deepEqual(known, condition) ? { ...known } : condition;
  });
}

type NewCondition = Omit<NamespaceCondition, "lastTransitionTime">;

/** What could go wrong before anything is deleted; here that is a failed run, which is tried again. */
const found: readonly NewCondition[] = [
  {
    type: "NamespaceDeletionDiscoveryFailure",
    status: "False",
    reason: "ResourcesDiscovered",
    message: "All resources successfully discovered",
  },
  {
    type: "NamespaceDeletionGroupVersionParsingFailure",
    status: "False",
    reason: "ParsedGroupVersions",
    message: "All legacy kube types successfully parsed",
  },
  {
    type: "NamespaceDeletionContentFailure",
    status: "False",
    reason: "ContentDeleted",
    message: "All content successfully deleted, may be waiting on finalization",
  },
];

function contentCondition(remains: readonly Remains[]): NewCondition {
  const left = remains.filter(({ objects }) => objects.length > 0);
  if (left.length === 0) {
    return {
      type: "NamespaceContentRemaining",
      status: "False",
      reason: "ContentRemoved",
      message: "All content successfully removed",
    };
  }
  const counts = left.map(({ resource, objects }) => `${resource} has ${objects.length} resource instances`);
  return {
    type: "NamespaceContentRemaining",
    status: "True",
    reason: "SomeResourcesRemain",
    message: `Some resources are remaining: ${counts.toSorted().join(", ")}`,
  };
}

function finalizersCondition(remains: readonly Remains[]): NewCondition {
  const all = remains.flatMap(({ objects }) => objects.flatMap(({ finalizers }) => finalizers));
  if (all.length === 0) {
    return {
      type: "NamespaceFinalizersRemaining",
      status: "False",
      reason: "ContentHasNoFinalizers",
      message: "All content-preserving finalizers finished",
    };
  }
  const counts = [...Map.groupBy(all, (finalizer) => finalizer)].map(
    ([finalizer, times]) => `${finalizer} in ${times.length} resource instances`,
  );
  return {
    type: "NamespaceFinalizersRemaining",
    status: "True",
    reason: "SomeFinalizersRemain",
    message: `Some content in the namespace has finalizers remaining: ${counts.toSorted().join(", ")}`,
  };
}
