import type { DeepReadonly } from "@kedge/machinery";
import type { NodeAffinity, TopologySpreadConstraint } from "@kedge/machinery/kinds/core/v1";

/** How pods of one `spec.schedulerName` are placed. What is absent is as Kubernetes has it by default. */
export interface Profile {
  readonly schedulerName: string;
  /** Of how many nodes that would do the best is taken, in percent. Default 0: fewer, the more nodes there are. */
  readonly percentageOfNodesToScore?: number;
  /** What each score weighs; 0: it is not asked. Default: `defaultWeights`. */
  readonly weights?: Readonly<Partial<Record<ScoreName, number>>>;
  /** Which nodes NodeResourcesFit prefers. Default: the emptiest by cpu and memory. */
  readonly resources?: ResourceStrategy;
  /** What NodeResourcesBalancedAllocation keeps in balance. Default: cpu and memory. */
  readonly balancedResources?: readonly string[];
  /** Resources that NodeResourcesFit does not look at, by name or by group. */
  readonly ignoredResources?: readonly string[];
  readonly ignoredResourceGroups?: readonly string[];
  /** Asked of all pods, beside what they ask for themselves. */
  readonly addedAffinity?: DeepReadonly<NodeAffinity>;
  /** For pods that have no constraints of their own. Default: Kubernetes' own, over nodes and zones. */
  readonly defaultConstraints?: readonly DeepReadonly<TopologySpreadConstraint>[];
  /** What it is worth for a pod that another must be beside to be there. Default 1. */
  readonly hardPodAffinityWeight?: number;
}

/** The names are Kubernetes'. */
export type ScoreName =
  | "TaintToleration"
  | "NodeAffinity"
  | "NodeResourcesFit"
  | "PodTopologySpread"
  | "InterPodAffinity"
  | "NodeResourcesBalancedAllocation"
  | "ImageLocality";

/** Which nodes are preferred by what they have left. */
export interface ResourceStrategy {
  readonly type: "LeastAllocated" | "MostAllocated" | "RequestedToCapacityRatio";
  /** Default: cpu and memory, weight 1. */
  readonly resources?: readonly ResourceWeight[];
  /** Of RequestedToCapacityRatio: scores of 0 to 10 at some percentages of use. */
  readonly shape?: readonly ShapePoint[];
}

/** How much a resource counts. */
export interface ResourceWeight {
  readonly name: string;
  readonly weight: number;
}

/** A point of a broken line. */
export interface ShapePoint {
  /** 0 to 100. */
  readonly utilization: number;
  /** 0 to 10. */
  readonly score: number;
}

/** What the scores weigh in Kubernetes' default profile. */
export const defaultWeights: Readonly<Record<ScoreName, number>> = {
  TaintToleration: 3,
  NodeAffinity: 2,
  NodeResourcesFit: 1,
  PodTopologySpread: 2,
  InterPodAffinity: 2,
  NodeResourcesBalancedAllocation: 1,
  ImageLocality: 1,
};

/** The profile of pods that name no scheduler. */
export const defaultProfile: Profile = { schedulerName: "default-scheduler" };
