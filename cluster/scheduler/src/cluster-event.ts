import { deepEqual, type DeepReadonly } from "@kedge/machinery";
import type { Node, PersistentVolume, PersistentVolumeClaim } from "@kedge/machinery/kinds/core/v1";
import type { StorageClass } from "@kedge/machinery/kinds/storage/v1";
import { NodeInfo } from "./view/node-info.ts";
import type { PodInfo } from "./view/pod-info.ts";

/** Something that may have made a place for a pod that has none. Pods are those with a node, but for `pod-changed`. */
export type ClusterEvent =
  | { readonly type: "pod-added"; readonly pod: PodInfo }
  | {
      readonly type: "pod-changed";
      /** One with a node, or the very pod that waits. */
      readonly pod: PodInfo;
      readonly previous: PodInfo;
    }
  | { readonly type: "pod-removed"; readonly pod: PodInfo }
  | { readonly type: "node-added"; readonly node: NodeInfo }
  | {
      readonly type: "node-changed";
      readonly node: NodeInfo;
      readonly previous: NodeInfo;
      readonly changed: ReadonlySet<NodePart>;
    }
  | { readonly type: "node-removed"; readonly node: NodeInfo }
  | {
      readonly type: "claim-added" | "claim-changed";
      readonly claim: DeepReadonly<PersistentVolumeClaim>;
    }
  | {
      readonly type: "volume-added" | "volume-changed";
      readonly volume: DeepReadonly<PersistentVolume>;
      readonly previous?: DeepReadonly<PersistentVolume>;
    }
  | {
      readonly type: "class-added" | "class-changed";
      readonly storageClass: DeepReadonly<StorageClass>;
      readonly previous?: DeepReadonly<StorageClass>;
    };

/** The parts of a node that scheduling looks at. */
export type NodePart = "allocatable" | "labels" | "taints" | "cordon";

/** What a change of a node means to pods that wait. Undefined: nothing, as that of a heartbeat. */
export function nodeChange(
  node: DeepReadonly<Node>,
  previous: DeepReadonly<Node> | undefined,
): ClusterEvent | undefined {
  if (previous === undefined) return { type: "node-added", node: bareNode(node) };
  const changed = new Set<NodePart>();
  if (!deepEqual(node.status?.allocatable, previous.status?.allocatable)) changed.add("allocatable");
  if (!deepEqual(node.metadata.labels, previous.metadata.labels)) changed.add("labels");
  if (!deepEqual(node.spec?.taints, previous.spec?.taints)) changed.add("taints");
  if (previous.spec?.unschedulable === true && node.spec?.unschedulable !== true) changed.add("cordon");
  if (changed.size === 0) return undefined;
  return { type: "node-changed", node: bareNode(node), previous: bareNode(previous), changed };
}

/** A node without its pods. */
export function bareNode(node: DeepReadonly<Node>): NodeInfo {
  const info = new NodeInfo(node.metadata.name);
  info.setNode(node);
  return info;
}
