import {
  labelOf,
  selectorFromLabelSelector,
  selectorMatches,
  selectsNode,
  type DeepReadonly,
  type Labels,
  type Selector,
} from "@kedge/machinery";
import type { TopologySpreadConstraint } from "@kedge/machinery/kinds/core/v1";
import type { Cycle } from "../cycle.ts";
import { selectorKey, withOwnLabels } from "../view/affinity-term.ts";
import type { NodeInfo } from "../view/node-info.ts";
import type { PodInfo } from "../view/pod-info.ts";
import { siblingsOf } from "../view/owner-selectors.ts";
import { isRefusedBy } from "../view/taints.ts";

/** A rule that spreads a pod and its like over the values of a label of nodes. */
export interface SpreadConstraint {
  readonly topologyKey: string;
  readonly maxSkew: number;
  readonly minDomains: number;
  readonly selector: Selector;
  readonly honorsAffinity: boolean;
  readonly honorsTaints: boolean;
}

/** What Kubernetes wishes for pods that say nothing themselves. */
export const systemConstraints: readonly DeepReadonly<TopologySpreadConstraint>[] = [
  { topologyKey: "kubernetes.io/hostname", whenUnsatisfiable: "ScheduleAnyway", maxSkew: 3 },
  { topologyKey: "topology.kubernetes.io/zone", whenUnsatisfiable: "ScheduleAnyway", maxSkew: 5 },
];

type Strictness = "DoNotSchedule" | "ScheduleAnyway";

/** A pod's own rules, or the default ones of its profile for it and its siblings. */
export function constraintsOf(
  { pod, profile, owners }: Pick<Cycle, "pod" | "profile" | "owners">,
  strictness: Strictness,
): readonly SpreadConstraint[] {
  const labels = pod.metadata.labels ?? {};
  const own = pod.spec.topologySpreadConstraints ?? [];
  if (own.length > 0) return parsed(own, labels, strictness);
  const defaults = profile.defaultConstraints ?? systemConstraints;
  if (!defaults.some(({ whenUnsatisfiable }) => whenUnsatisfiable === strictness)) return [];
  const selector = siblingsOf(pod, owners);
  if (selector === undefined) return [];
  return parsed(defaults, labels, strictness).map((constraint) => ({ ...constraint, selector }));
}

/** The rules that a pod itself has. */
export function ownConstraintsOf({ pod, labels }: PodInfo): readonly SpreadConstraint[] {
  return parsed(pod.spec.topologySpreadConstraints ?? [], labels, "DoNotSchedule");
}

function parsed(
  constraints: readonly DeepReadonly<TopologySpreadConstraint>[],
  labels: Labels,
  strictness: Strictness,
): readonly SpreadConstraint[] {
  return constraints
    .filter(({ whenUnsatisfiable }) => whenUnsatisfiable === strictness)
    .map((constraint) => ({
      topologyKey: constraint.topologyKey,
      maxSkew: constraint.maxSkew,
      minDomains: constraint.minDomains ?? 1,
      selector: withOwnLabels(
        selectorFromLabelSelector(constraint.labelSelector),
        constraint.matchLabelKeys ?? [],
        labels,
      ),
      honorsAffinity: constraint.nodeAffinityPolicy !== "Ignore",
      honorsTaints: constraint.nodeTaintsPolicy === "Honor",
    }));
}

/** Whether the pods of a node are counted. */
export function isCounted(
  { honorsAffinity, honorsTaints }: SpreadConstraint,
  node: NodeInfo,
  { spec }: Cycle["pod"],
): boolean {
  if (honorsAffinity && selectsNodes(spec) && !selectsNode(spec, node)) return false;
  return !honorsTaints || !isRefusedBy(node, spec.tolerations ?? []);
}

function selectsNodes({ nodeSelector, affinity }: Cycle["pod"]["spec"]): boolean {
  return nodeSelector !== undefined || affinity?.nodeAffinity !== undefined;
}

/** Whether a node has all labels that constraints spread over. */
export function hasTopologies({ labels }: NodeInfo, constraints: readonly SpreadConstraint[]): boolean {
  for (const { topologyKey } of constraints) if (labelOf(labels, topologyKey) === undefined) return false;
  return true;
}

/** How many pods on each node a constraint spreads. A selector that means everything counts nobody. */
export function matchingOf(
  { selector }: SpreadConstraint,
  { info, view }: Cycle,
): ReadonlyMap<string, number> {
  const { namespace } = info;
  if (selector.selectable && selector.requirements.length === 0) return nobody;
  return view.matching.count({
    key: `spread ${namespace} ${selectorKey(selector)}`,
    namespace,
    means: ({ isTerminating, labels }) => !isTerminating && selectorMatches(selector, labels),
  });
}

const nobody: ReadonlyMap<string, number> = new Map();
