import { selectorFromLabelSelector, selectorMatches, type DeepReadonly } from "@kedge/machinery";
import type { Node, Pod, TopologySpreadConstraint } from "@kedge/machinery/kinds/core/v1";
import { isSelected, untolerated } from "./node-matches.ts";
import type { Obstacle, PlacementView } from "./placement.ts";

type AnyNode = DeepReadonly<Node>;
type AnyPod = DeepReadonly<Pod>;
type Constraint = DeepReadonly<TopologySpreadConstraint>;

/** Whether a pod on this node would break one of its spread constraints; those with `DoNotSchedule` count. */
export function spreadObstacle(view: PlacementView, node: AnyNode): readonly Obstacle[] {
  const constraints = (view.pod.spec.topologySpreadConstraints ?? []).filter(
    ({ whenUnsatisfiable }) => whenUnsatisfiable === "DoNotSchedule",
  );
  const reason = "node(s) didn't match pod topology spread constraints";
  for (const constraint of constraints) {
    const place = node.metadata.labels?.[constraint.topologyKey];
    if (place === undefined) return [{ reason: `${reason} (missing required label)`, byOthers: false }];
    const counts = countsIn(view, constraint, constraints);
    const isFew = counts.size < (constraint.minDomains ?? 1);
    const fewest = isFew ? 0 : Math.min(...counts.values());
    const itself = matches(constraint, view.pod, view.pod) ? 1 : 0;
    const skew = (counts.get(place) ?? 0) + itself - (Number.isFinite(fewest) ? fewest : 0);
    if (skew > constraint.maxSkew) return [{ reason, byOthers: true }];
  }
  return [];
}

/** Counted once for all nodes that a pod is tried on. */
const counted = new WeakMap<PlacementView, Map<Constraint, ReadonlyMap<string, number>>>();

function countsIn(
  view: PlacementView,
  constraint: Constraint,
  constraints: readonly Constraint[],
): ReadonlyMap<string, number> {
  const ofView = counted.get(view) ?? new Map<Constraint, ReadonlyMap<string, number>>();
  counted.set(view, ofView);
  const counts = ofView.get(constraint) ?? countsOf(view, constraint, constraints);
  ofView.set(constraint, counts);
  return counts;
}

/** How many pods that the constraint counts are in each domain that the pod could be in. */
function countsOf(
  { pod, nodes, placed }: PlacementView,
  constraint: Constraint,
  constraints: readonly Constraint[],
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const node of nodes) {
    const { labels = {}, name } = node.metadata;
    const place = labels[constraint.topologyKey];
    if (place === undefined || !constraints.every(({ topologyKey }) => topologyKey in labels)) continue;
    if (constraint.nodeAffinityPolicy !== "Ignore" && !isSelected(node, pod.spec)) continue;
    if (
      constraint.nodeTaintsPolicy === "Honor" &&
      untolerated(node, pod.spec.tolerations ?? []) !== undefined
    )
      continue;
    let count = 0;
    for (const other of placed.on(name).pods) if (matches(constraint, pod, other)) count++;
    counts.set(place, (counts.get(place) ?? 0) + count);
  }
  return counts;
}

/** Whether a pod is one of those that a constraint of another spreads. */
function matches({ labelSelector, matchLabelKeys = [] }: Constraint, owner: AnyPod, other: AnyPod): boolean {
  const { namespace, labels = {}, deletionTimestamp } = other.metadata;
  if (namespace !== owner.metadata.namespace || deletionTimestamp !== undefined) return false;
  const own = owner.metadata.labels ?? {};
  return (
    selectorMatches(selectorFromLabelSelector(labelSelector), labels) &&
    matchLabelKeys.every((key) => own[key] === undefined || labels[key] === own[key])
  );
}
