import type { DeepReadonly } from "@kedge/machinery";
import type { Node, PersistentVolume, Pod } from "@kedge/machinery/kinds/core/v1";
import type { Amounts } from "./requests.ts";

/** What is looked at to place a pod. */
export interface PlacementView {
  readonly pod: DeepReadonly<Pod>;
  readonly nodes: readonly DeepReadonly<Node>[];
  readonly placed: PlacedView;
  /** The volumes that the pod's claims are bound to. */
  readonly volumes: readonly DeepReadonly<PersistentVolume>[];
}

/** The pods that have a node, or are about to. */
export interface PlacedView {
  /** Those on a node, by its name. */
  on(node: string): NodePods;
  /** Those that refuse others near them, each with the name of its node. */
  readonly withAntiAffinity: Iterable<readonly [string, DeepReadonly<Pod>]>;
}

/** The pods of one node, and what they take together. */
export interface NodePods {
  readonly pods: Iterable<DeepReadonly<Pod>>;
  readonly count: number;
  readonly requested: Amounts;
  /** The same for comparing nodes, see `scoringRequestsOf`. */
  readonly scored: Amounts;
}

/** Why a pod cannot be on a node. */
export interface Obstacle {
  /** As Kubernetes words it. */
  readonly reason: string;
  /** Whether it could be there if other pods went. */
  readonly byOthers: boolean;
}
