import type { DeepReadonly } from "@kedge/machinery";
import type { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import type { Pod } from "@kedge/machinery/kinds/core/v1";
import { hasEnded, isAvailable, isTerminating } from "../pods/pod-state.ts";
import { ordinalOf, revisionLabel } from "./identity.ts";
import type { Revision } from "./revisions.ts";

/** One thing to do for a set. */
export type StatefulSetAction =
  | { readonly type: "create"; readonly ordinal: number; readonly revision: Revision }
  | {
      readonly type: "delete";
      readonly pod: DeepReadonly<Pod>;
      readonly reason: "scaled down" | "ended" | "another revision";
    };

/** What the plan is made from. */
export interface StatefulSetView {
  readonly set: DeepReadonly<StatefulSet>;
  readonly pods: readonly DeepReadonly<Pod>[];
  readonly current: Revision;
  readonly update: Revision;
  readonly now: number;
}

/**
 * The next steps. An ordered set takes one step at a time, from the first pod up, and waits for each to be available; it
 * shrinks and updates from the last pod down.
 */
export function planStatefulSet(view: StatefulSetView): readonly StatefulSetAction[] {
  const { set, now } = view;
  if (set.metadata.deletionTimestamp !== undefined) return [];
  const ordered = set.spec.podManagementPolicy !== "Parallel";
  const isHealthy = (pod: DeepReadonly<Pod>): boolean =>
    !isTerminating(pod) && isAvailable(pod, set.spec.minReadySeconds ?? 0, now);
  const first = set.spec.ordinals?.start ?? 0;
  const places = new Map(
    view.pods.flatMap((pod) => {
      const ordinal = ordinalOf(set.metadata.name, pod.metadata.name);
      return ordinal === undefined ? [] : [[ordinal, pod] as const];
    }),
  );
  const wanted = Array.from({ length: set.spec.replicas ?? 1 }, (_, index) => first + index);
  const actions: StatefulSetAction[] = [];

  for (const ordinal of wanted) {
    const pod = places.get(ordinal);
    const action = stepFor(view, ordinal, pod);
    if (action !== undefined) actions.push(action);
    if (ordered && (pod === undefined || !isHealthy(pod))) return actions;
  }

  const surplus = [...places]
    .filter(([ordinal]) => !wanted.includes(ordinal))
    .toSorted(([one], [other]) => other - one)
    .map(([, pod]) => pod);
  for (const pod of surplus) {
    if (!isTerminating(pod)) actions.push({ type: "delete", pod, reason: "scaled down" });
    if (ordered) return actions;
  }
  if (actions.length > 0 || set.spec.updateStrategy?.type === "OnDelete") return actions;
  return rollingStep(view, wanted.flatMap((ordinal) => places.get(ordinal) ?? []).toReversed(), isHealthy);
}

/** A missing pod is made, one that ended is removed so that it can be. */
function stepFor(
  view: StatefulSetView,
  ordinal: number,
  pod: DeepReadonly<Pod> | undefined,
): StatefulSetAction | undefined {
  if (pod === undefined) return { type: "create", ordinal, revision: revisionFor(view, ordinal) };
  return hasEnded(pod) && !isTerminating(pod) ? { type: "delete", pod, reason: "ended" } : undefined;
}

/** Below the partition, pods stay what they were. */
function revisionFor({ set, current, update }: StatefulSetView, ordinal: number): Revision {
  return ordinal < partitionOf(set) ? current : update;
}

/** From the last pod down, the first that is not of the spec's revision goes; one at a time, all others being healthy. */
function rollingStep(
  { set, update }: StatefulSetView,
  lastFirst: readonly DeepReadonly<Pod>[],
  isHealthy: (pod: DeepReadonly<Pod>) => boolean,
): readonly StatefulSetAction[] {
  for (const pod of lastFirst) {
    const ordinal = ordinalOf(set.metadata.name, pod.metadata.name) ?? 0;
    if (ordinal < partitionOf(set)) break;
    if (pod.metadata.labels?.[revisionLabel] !== update.name && !isTerminating(pod)) {
      return [{ type: "delete", pod, reason: "another revision" }];
    }
    if (!isHealthy(pod)) return [];
  }
  return [];
}

function partitionOf(set: DeepReadonly<StatefulSet>): number {
  return (set.spec.ordinals?.start ?? 0) + (set.spec.updateStrategy?.rollingUpdate?.partition ?? 0);
}
