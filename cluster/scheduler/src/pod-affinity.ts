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
  const refused = view.nodes.some((place) =>
    view
      .podsOn(place.metadata.name)
      .some((other) =>
        antiAffinityTerms(other).some((term) => isSamePlace(term, node, place) && fits(term, other, pod)),
      ),
  );
  return refused
    ? [{ reason: "node(s) didn't satisfy existing pods anti-affinity rules", byOthers: true }]
    : [];
}

/** The first of a group has nobody to be beside: it may go anywhere that has the topology. */
function isBeside(view: PlacementView, node: DeepReadonly<Node>, term: Term): boolean {
  const { pod, nodes, podsOn } = view;
  if (node.metadata.labels?.[term.topologyKey] === undefined) return false;
  if (neighbours(view, node, term).some((other) => fits(term, pod, other))) return true;
  const anywhere = nodes.some(({ metadata }) =>
    podsOn(metadata.name).some((other) => fits(term, pod, other)),
  );
  return !anywhere && fits(term, pod, pod);
}

/** The pods in the same zone, rack, node: whatever the term's topology is. */
function neighbours(
  { nodes, podsOn }: PlacementView,
  node: DeepReadonly<Node>,
  term: Term,
): readonly AnyPod[] {
  return nodes
    .filter((place) => isSamePlace(term, node, place))
    .flatMap(({ metadata }) => podsOn(metadata.name));
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

function antiAffinityTerms({ spec }: AnyPod): readonly Term[] {
  return spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
}
