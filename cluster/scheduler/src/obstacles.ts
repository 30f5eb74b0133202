import {
  compareQuantities,
  parseQuantity,
  quantityOf,
  subtractQuantities,
  tolerates,
  type DeepReadonly,
  type Quantity,
} from "@kedge/machinery";
import type { Node } from "@kedge/machinery/kinds/core/v1";
import { hostPortsClash } from "./host-ports.ts";
import { isSelected, matchesTerms, untolerated } from "./node-matches.ts";
import type { Obstacle, PlacementView } from "./placement.ts";
import { podAffinityObstacle } from "./pod-affinity.ts";
import { allocatableOf, requestsOf } from "./requests.ts";
import { spreadObstacle } from "./topology-spread.ts";

/** Why a pod cannot be on a node; none when it can. The checks are Kubernetes' and in its order: the first that fails speaks. */
export function obstaclesOn(view: PlacementView, node: DeepReadonly<Node>): readonly Obstacle[] {
  for (const check of checks) {
    const found = check(view, node);
    if (found.length > 0) return found;
  }
  return [];
}

type Check = (view: PlacementView, node: DeepReadonly<Node>) => readonly Obstacle[];

const checks: readonly Check[] = [
  cordon,
  taints,
  nodeAffinity,
  hostPorts,
  resources,
  volumes,
  (view, node) => spreadObstacle(view, node),
  (view, node) => podAffinityObstacle(view, node),
];

function cordon({ pod }: PlacementView, node: DeepReadonly<Node>): readonly Obstacle[] {
  const taint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };
  const refused =
    node.spec?.unschedulable === true &&
    !(pod.spec.tolerations ?? []).some((toleration) => tolerates(toleration, taint));
  return refused ? lasting("node(s) were unschedulable") : [];
}

function taints({ pod }: PlacementView, node: DeepReadonly<Node>): readonly Obstacle[] {
  const taint = untolerated(node, pod.spec.tolerations ?? []);
  return taint === undefined ? [] : lasting("node(s) had untolerated taint(s)");
}

function nodeAffinity({ pod: { spec } }: PlacementView, node: DeepReadonly<Node>): readonly Obstacle[] {
  return isSelected(node, spec) ? [] : lasting("node(s) didn't match Pod's node affinity/selector");
}

function hostPorts({ pod, placed }: PlacementView, node: DeepReadonly<Node>): readonly Obstacle[] {
  const reason = "node(s) didn't have free ports for the requested pod ports";
  return hostPortsClash(pod, placed.on(node.metadata.name).pods) ? [{ reason, byOthers: true }] : [];
}

const none = parseQuantity("0");

function resources({ pod, placed }: PlacementView, node: DeepReadonly<Node>): readonly Obstacle[] {
  const all = allocatableOf(node);
  const { requested, count } = placed.on(node.metadata.name);
  const left = (name: string, taken: Quantity): Quantity => subtractQuantities(all.get(name) ?? none, taken);
  const obstacles: Obstacle[] = [];
  if (compareQuantities(left("pods", quantityOf(count)), none) <= 0) {
    obstacles.push({ reason: "Too many pods", byOthers: true });
  }
  for (const [name, amount] of requestsOf(pod)) {
    if (compareQuantities(amount, none) <= 0) continue;
    if (compareQuantities(amount, left(name, requested.get(name) ?? none)) <= 0) continue;
    // More than the whole node has is more than others could leave.
    const byOthers = compareQuantities(amount, all.get(name) ?? none) <= 0;
    obstacles.push({ reason: `Insufficient ${name}`, byOthers });
  }
  return obstacles;
}

function volumes(view: PlacementView, node: DeepReadonly<Node>): readonly Obstacle[] {
  const reachable = view.volumes.every((volume) => {
    const terms = volume.spec?.nodeAffinity?.required?.nodeSelectorTerms;
    return terms === undefined || matchesTerms(node, terms);
  });
  return reachable ? [] : lasting("node(s) didn't match PersistentVolume's node affinity");
}

/** What stays so whoever else is on the node. */
function lasting(reason: string): readonly Obstacle[] {
  return [{ reason, byOthers: false }];
}
