import type { DeepReadonly, OwnerReference } from "@kedge/machinery";
import type { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import type { PersistentVolumeClaim, Pod } from "@kedge/machinery/kinds/core/v1";
import { hasEnded, isAvailable, isTerminating } from "../pods/pod-state.ts";
import { claimNames, nameAt, ordinalOf, revisionLabel } from "./identity.ts";
import { claimOwners, isStale } from "./retention.ts";
import type { Revision } from "./revisions.ts";

/** One thing to do for a set. */
export type StatefulSetAction =
  /** A pod, after its claims. */
  | { readonly type: "create"; readonly ordinal: number; readonly revision: Revision }
  /** Claims that a pod waits for and that somebody took away. */
  | { readonly type: "create claims"; readonly ordinal: number }
  | {
      readonly type: "own claim";
      readonly claim: DeepReadonly<PersistentVolumeClaim>;
      readonly owners: OwnerReference[];
    }
  | {
      readonly type: "delete";
      readonly pod: DeepReadonly<Pod>;
      readonly reason: "scaled down" | "ended" | "another revision";
    };

/** What the plan is made from. */
export interface StatefulSetView {
  readonly set: DeepReadonly<StatefulSet>;
  readonly pods: readonly DeepReadonly<Pod>[];
  /** The claim of this name in the set's namespace. */
  readonly claim: (name: string) => DeepReadonly<PersistentVolumeClaim> | undefined;
  readonly current: Revision;
  readonly update: Revision;
  readonly now: number;
}

/**
 * The next steps. An ordered set takes one step at a time, from the first pod up, and waits for each to be available; it
 * shrinks and updates from the last pod down. A parallel one takes a bounded number of them; what these change brings
 * it back for the rest.
 */
export function planStatefulSet(view: StatefulSetView): readonly StatefulSetAction[] {
  const { set } = view;
  if (set.metadata.deletionTimestamp !== undefined) return [];
  const isOrdered = set.spec.podManagementPolicy !== "Parallel";
  const { first, end, places, surplus } = placesOf(view);
  const actions: StatefulSetAction[] = [];

  for (let ordinal = first; ordinal < end; ordinal += 1) {
    const pod = places.get(ordinal);
    actions.push(...stepsFor(view, ordinal, pod));
    if (isOrdered && (pod === undefined || !isHealthy(view, pod))) return actions;
    if (pod !== undefined) actions.push(...owningSteps(view, pod, false));
    if (actions.length >= mostSteps) return actions;
  }
  for (const pod of surplus) actions.push(...owningSteps(view, pod, true));
  // Who goes with the pod must be known before the pod goes.
  if (surplus.length > 0 && actions.some(({ type }) => type === "own claim")) return actions;

  const shrinking = isOrdered ? shrinkInOrder(view, surplus) : surplus.filter((pod) => !isTerminating(pod));
  for (const pod of shrinking) actions.push({ type: "delete", pod, reason: "scaled down" });
  if (actions.length > 0 || (isOrdered && surplus.length > 0)) return actions;
  if (set.spec.updateStrategy?.type === "OnDelete") return [];
  return rollingStep(view, { first, end, places });
}

/** As many pods as a replica set makes in one run. */
const mostSteps = 500;

interface Ordinals {
  /** The set is to have the ordinals from `first` on, without `end`. */
  readonly first: number;
  readonly end: number;
  readonly places: ReadonlyMap<number, DeepReadonly<Pod>>;
}

interface Places extends Ordinals {
  /** Pods at other ordinals, the last first. */
  readonly surplus: readonly DeepReadonly<Pod>[];
}

function placesOf({ set, pods }: StatefulSetView): Places {
  const places = new Map(
    pods.flatMap((pod) => {
      const ordinal = ordinalOf(set.metadata.name, pod.metadata.name);
      return ordinal === undefined ? [] : [[ordinal, pod] as const];
    }),
  );
  const first = set.spec.ordinals?.start ?? 0;
  const end = first + (set.spec.replicas ?? 1);
  const surplus = [...places]
    .filter(([ordinal]) => ordinal < first || ordinal >= end)
    .toSorted(([one], [other]) => other - one)
    .map(([, pod]) => pod);
  return { first, end, places, surplus };
}

/** A missing pod is made, one that ended is removed so that it can be. */
function stepsFor(
  view: StatefulSetView,
  ordinal: number,
  pod: DeepReadonly<Pod> | undefined,
): readonly StatefulSetAction[] {
  const names = claimNames(view.set, ordinal);
  if (pod === undefined) {
    // A claim on its way out would take the new pod's data with it; its end brings us back.
    const claims = names.flatMap((name) => view.claim(name) ?? []);
    if (claims.some((claim) => isStale(claim, nameAt(view.set, ordinal)))) return [];
    return [{ type: "create", ordinal, revision: revisionFor(view, ordinal) }];
  }
  if (hasEnded(pod)) return isTerminating(pod) ? [] : [{ type: "delete", pod, reason: "ended" }];
  const isPending = pod.status?.phase === "Pending";
  return isPending && names.some((name) => view.claim(name) === undefined)
    ? [{ type: "create claims", ordinal }]
    : [];
}

function owningSteps(
  { set, claim }: StatefulSetView,
  pod: DeepReadonly<Pod>,
  isSurplus: boolean,
): readonly StatefulSetAction[] {
  const ordinal = ordinalOf(set.metadata.name, pod.metadata.name) ?? 0;
  return claimNames(set, ordinal).flatMap((name): readonly StatefulSetAction[] => {
    const found = claim(name);
    const owners = found === undefined ? undefined : claimOwners(found, { set, pod, isSurplus });
    return found === undefined || owners === undefined ? [] : [{ type: "own claim", claim: found, owners }];
  });
}

/** The last pod goes, when the one before it has gone; an unhealthy one only when it is the first of the unhealthy. */
function shrinkInOrder(
  view: StatefulSetView,
  surplus: readonly DeepReadonly<Pod>[],
): readonly DeepReadonly<Pod>[] {
  const [last] = surplus;
  if (last === undefined || isTerminating(last)) return [];
  const firstUnhealthy = surplus.findLast((pod) => !isHealthy(view, pod));
  return isHealthy(view, last) || last === firstUnhealthy ? [last] : [];
}

function isHealthy({ set, now }: StatefulSetView, pod: DeepReadonly<Pod>): boolean {
  return (
    !isTerminating(pod) &&
    pod.status?.phase === "Running" &&
    isAvailable(pod, set.spec.minReadySeconds ?? 0, now)
  );
}

/** Below the partition, or where no partition is known and an update has not come yet, pods stay what they were. */
function revisionFor({ set, current, update }: StatefulSetView, ordinal: number): Revision {
  const { type = "RollingUpdate", rollingUpdate } = set.spec.updateStrategy ?? {};
  const place = ordinal - (set.spec.ordinals?.start ?? 0);
  const kept =
    rollingUpdate === undefined
      ? type === "RollingUpdate" && place < (set.status?.currentReplicas ?? 0)
      : place < (rollingUpdate.partition ?? 0);
  return kept ? current : update;
}

/** From the last pod down, the first that is not of the spec's revision goes; one at a time, all others being healthy. */
function rollingStep(view: StatefulSetView, { first, end, places }: Ordinals): readonly StatefulSetAction[] {
  const partition = view.set.spec.updateStrategy?.rollingUpdate?.partition ?? 0;
  for (let ordinal = end - 1; ordinal >= first + partition; ordinal -= 1) {
    const pod = places.get(ordinal);
    if (pod === undefined) return [];
    if (pod.metadata.labels?.[revisionLabel] !== view.update.name && !isTerminating(pod)) {
      return [{ type: "delete", pod, reason: "another revision" }];
    }
    if (!isHealthy(view, pod)) return [];
  }
  return [];
}
