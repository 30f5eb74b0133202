import { selectorFromLabelSelector, selectorMatches, type DeepReadonly } from "@kedge/machinery";
import type { Node, Pod, PodAffinityTerm } from "@kedge/machinery/kinds/core/v1";
import type { Obstacle, PlacementView } from "./placement.ts";

type AnyPod = DeepReadonly<Pod>;
type Term = DeepReadonly<PodAffinityTerm>;

/** Whether the pods that are there already, and the pod itself, have rules against it being on a node. */
export function podAffinityObstacle(view: PlacementView, node: DeepReadonly<Node>): readonly Obstacle[] {
  const { pod } = view;
  if (!affinityTerms(pod).every((term) => isBeside(view, node, term))) {
    return [{ reason: "node(s) didn't match pod affinity rules", byOthers: false }];
  }
  if (
    antiAffinityTerms(pod).some((term) =>
      neighbours(view, node, term).some((other) => fits(term, pod, other)),
    )
  ) {
    return [{ reason: "node(s) didn't match pod anti-affinity rules", byOthers: true }];
  }
  return isRefused(view, node)
    ? [{ reason: "node(s) didn't satisfy existing pods anti-affinity rules", byOthers: true }]
    : [];
}

/** Whether a pod that is near the node already wants none like this one there. */
function isRefused({ pod, nodes, placed }: PlacementView, node: DeepReadonly<Node>): boolean {
  for (const [name, other] of placed.withAntiAffinity) {
    const place = nodes.find(({ metadata }) => metadata.name === name);
    if (place === undefined) continue;
    const terms = antiAffinityTerms(other);
    if (terms.some((term) => isSamePlace(term, node, place) && fits(term, other, pod))) return true;
  }
  return false;
}

/** The first of a group has nobody to be beside: it may go anywhere that has the topology. */
function isBeside(view: PlacementView, node: DeepReadonly<Node>, term: Term): boolean {
  const { pod, nodes, placed } = view;
  if (node.metadata.labels?.[term.topologyKey] === undefined) return false;
  if (neighbours(view, node, term).some((other) => fits(term, pod, other))) return true;
  const anywhere = nodes.some(({ metadata }) =>
    Array.from(placed.on(metadata.name).pods).some((other) => fits(term, pod, other)),
  );
  return !anywhere && fits(term, pod, pod);
}

/** The pods in the same zone, rack, node: whatever the term's topology is. */
function neighbours(
  { nodes, placed }: PlacementView,
  node: DeepReadonly<Node>,
  term: Term,
): readonly AnyPod[] {
  return nodes
    .filter((place) => isSamePlace(term, node, place))
    .flatMap(({ metadata }) => Array.from(placed.on(metadata.name).pods));
}

function isSamePlace({ topologyKey }: Term, one: DeepReadonly<Node>, other: DeepReadonly<Node>): boolean {
  const value = one.metadata.labels?.[topologyKey];
  return value !== undefined && other.metadata.labels?.[topologyKey] === value;
}

/** Whether a term of one pod means another. */
function fits(term: Term, owner: AnyPod, other: AnyPod): boolean {
  const { namespace } = other.metadata;
  const { namespaces = [], namespaceSelector } = term;
  const own = namespaces.length === 0 && namespaceSelector === undefined;
  // Of a namespace only its name is known here.
  const selected =
    namespaceSelector !== undefined &&
    selectorMatches(selectorFromLabelSelector(namespaceSelector), {
      "kubernetes.io/metadata.name": namespace,
    });
  const meant = own ? namespace === owner.metadata.namespace : namespaces.includes(namespace) || selected;
  return meant && selectorMatches(selectorFromLabelSelector(term.labelSelector), other.metadata.labels ?? {});
}

function affinityTerms({ spec }: AnyPod): readonly Term[] {
  return spec.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
}

/** Whom a pod does not want near it. */
export function antiAffinityTerms({ spec }: AnyPod): readonly Term[] {
  return spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
}
