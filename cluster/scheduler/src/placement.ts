import type { DeepReadonly } from "@kedge/machinery";
import type { Node, PersistentVolume, Pod } from "@kedge/machinery/kinds/core/v1";

/** What is looked at to place a pod. */
export interface PlacementView {
  readonly pod: DeepReadonly<Pod>;
  readonly nodes: readonly DeepReadonly<Node>[];
  /** The pods that are on each node, by its name. */
  readonly podsOn: (node: string) => readonly DeepReadonly<Pod>[];
  /** The volumes that the pod's claims are bound to. */
  readonly volumes: readonly DeepReadonly<PersistentVolume>[];
}

/** Why a pod cannot be on a node. */
export interface Obstacle {
  /** As Kubernetes words it. */
  readonly reason: string;
  /** Whether it could be there if other pods went. */
  readonly byOthers: boolean;
}
