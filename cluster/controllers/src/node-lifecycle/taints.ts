import { formatTime, type DeepReadonly } from "@kedge/machinery";
import type { Node, Taint } from "@kedge/machinery/kinds/core/v1";

type AnyTaint = DeepReadonly<Taint>;

const notReady = "node.kubernetes.io/not-ready";
const unreachable = "node.kubernetes.io/unreachable";
const unschedulable = "node.kubernetes.io/unschedulable";

/** The taint that each state of a condition stands for. */
const taintOf: Readonly<Record<string, string>> = {
  "Ready=False": notReady,
  "Ready=Unknown": unreachable,
  "MemoryPressure=True": "node.kubernetes.io/memory-pressure",
  "DiskPressure=True": "node.kubernetes.io/disk-pressure",
  "NetworkUnavailable=True": "node.kubernetes.io/network-unavailable",
  "PIDPressure=True": "node.kubernetes.io/pid-pressure",
};

const ours = new Set([...Object.values(taintOf), unschedulable]);

/**
 * The taints that a node should have when those with NoSchedule follow its conditions and whether it is cordoned. Taints
 * of others stay. The very same list when nothing is to change.
 */
export function withConditionTaints({ spec, status }: DeepReadonly<Node>, now: number): readonly AnyTaint[] {
  const taints = spec.taints ?? [];
  const wanted = new Set(
    (status?.conditions ?? []).flatMap((condition) => taintOf[`${condition.type}=${condition.status}`] ?? []),
  );
  if (spec.unschedulable === true) wanted.add(unschedulable);
  const isStale = ({ key, effect }: AnyTaint): boolean =>
    effect === "NoSchedule" && ours.has(key) && !wanted.has(key);
  return changed(taints, {
    remove: isStale,
    add: Array.from(wanted, (key) => ({ key, effect: "NoSchedule" })),
    now,
  });
}

/** The taint that sends pods away from a node which is not ready (`False`) or silent (`Unknown`). Undefined: none. */
export function evictingTaintKey(ready: string | undefined): string | undefined {
  return ready === undefined ? undefined : { False: notReady, Unknown: unreachable }[ready];
}

/** Whether a node has one of the two taints with NoExecute that this controller gives. */
export function hasEvictingTaint({ spec }: DeepReadonly<Node>, key?: string): boolean {
  return (spec.taints ?? []).some((taint) => isEvicting(taint) && (key === undefined || taint.key === key));
}

/** The taints with this one of the two, and without the other; without both when no key is given. */
export function withEvictingTaint(
  taints: readonly AnyTaint[],
  key: string | undefined,
  now: number,
): readonly AnyTaint[] {
  return changed(taints, {
    remove: (taint) => isEvicting(taint) && taint.key !== key,
    add: key === undefined ? [] : [{ key, effect: "NoExecute" }],
    now,
  });
}

function isEvicting({ key, effect }: AnyTaint): boolean {
  return effect === "NoExecute" && (key === notReady || key === unreachable);
}

interface TaintChange {
  readonly remove: (taint: AnyTaint) => boolean;
  readonly add: readonly Taint[];
  readonly now: number;
}

function changed(taints: readonly AnyTaint[], { remove, add, now }: TaintChange): readonly AnyTaint[] {
  const kept = taints.filter((taint) => !remove(taint));
  const missing = add.filter(
    ({ key, effect }) => !kept.some((taint) => taint.key === key && taint.effect === effect),
  );
  if (missing.length === 0 && kept.length === taints.length) return taints;
  return [...kept, ...missing.map((taint) => ({ ...taint, timeAdded: formatTime(now) }))];
}
