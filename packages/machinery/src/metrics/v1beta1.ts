import type { Kind } from "../objects/kind.ts";
import type { StoredMeta, NamespacedMeta } from "../objects/metadata.ts";

/** What something uses: `cpu` and `memory`, as quantities. */
export type ResourceUsage = Record<string, string>;

/** What a node uses, on average over a while that ended at `timestamp`. */
export interface NodeMetrics {
  apiVersion: string;
  kind: string;
  metadata: StoredMeta;
  timestamp: string;
  /** `10s` */
  window: string;
  usage: ResourceUsage;
}

/** Served, but never stored: get and list only. */
export const NodeMetrics: Kind<NodeMetrics, "Cluster", never> = {
  group: "metrics.k8s.io",
  version: "v1beta1",
  kind: "NodeMetrics",
  plural: "nodes",
  singular: "",
  scope: "Cluster",
  subresources: [],
};

/** What the containers of a pod use, on average over a while that ended at `timestamp`. */
export interface PodMetrics {
  apiVersion: string;
  kind: string;
  metadata: NamespacedMeta;
  timestamp: string;
  /** `10s` */
  window: string;
  containers: { name: string; usage: ResourceUsage }[];
}

/** Served, but never stored: get and list only. */
export const PodMetrics: Kind<PodMetrics, "Namespaced", never> = {
  group: "metrics.k8s.io",
  version: "v1beta1",
  kind: "PodMetrics",
  plural: "pods",
  singular: "",
  scope: "Namespaced",
  subresources: [],
};
