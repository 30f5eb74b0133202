import type { Cycle } from "../cycle.ts";
import type { ClusterEvent } from "../cluster-event.ts";
import type { NodeInfo } from "../view/node-info.ts";
import type { PodInfo } from "../view/pod-info.ts";

/** Why a pod cannot be on a node. */
export interface Obstacle {
  /** The filter that says so. */
  readonly plugin: FilterName;
  /** As Kubernetes words it. */
  readonly reasons: readonly string[];
  /** Whether it stays so whichever pods leave the node. */
  readonly isLasting: boolean;
}

/** The names are Kubernetes'. */
export type FilterName =
  | "NodeUnschedulable"
  | "TaintToleration"
  | "NodeAffinity"
  | "NodePorts"
  | "NodeResourcesFit"
  | "VolumeRestrictions"
  | "VolumeBinding"
  | "VolumeZone"
  | "PodTopologySpread"
  | "InterPodAffinity";

/** One reason for a pod not to be on a node, and what may end it. */
export interface Filter {
  readonly name: FilterName;
  /** Looks at the pod and the cluster once, before the nodes. Undefined: this pod can be anywhere. */
  prepare(cycle: Cycle): PreparedFilter | Rejection | undefined;
  /** The events that may help a pod which it refused; for others it is not asked. */
  readonly events: readonly ClusterEvent["type"][];
  /** Whether an event may have made a place for a pod that it refused. */
  mayHelp(event: ClusterEvent, pod: PodInfo, cycle: Pick<Cycle, "profile" | "namespaceLabels">): boolean;
}

/** No node will do, and none is looked at. */
export interface Rejection {
  readonly rejected: string;
}

/** A filter that knows its pod. */
export interface PreparedFilter {
  /** Called for each pod and node: it must be quick. */
  check(node: NodeInfo): Obstacle | undefined;
  /** Only these nodes can be meant. Undefined: all. */
  readonly onlyNodes?: ReadonlySet<string>;
  /** Another pod comes to a node or leaves it, to try what would be. Absent: it looks at the node alone. */
  change?(other: PodInfo, node: NodeInfo, by: 1 | -1): void;
  /** The same, to be changed. Absent: nothing in it changes. */
  clone?(): PreparedFilter;
}

/** An obstacle that is the same for all nodes it is said of. */
export function obstacle(plugin: FilterName, reason: string, lasts: "lasting" | "by others"): Obstacle {
  return { plugin, reasons: [reason], isLasting: lasts === "lasting" };
}
