import { resourceVersion, uid, type StoredMeta } from "@kedge/machinery";
import type {
  Container,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
} from "@kedge/machinery/kinds/core/v1";

/** The metadata of a stored object without a namespace; its uid is its name with `-uid`. */
export function stored(name: string, more: Partial<StoredMeta> = {}): StoredMeta {
  return {
    name,
    uid: uid(`${name}-uid`),
    resourceVersion: resourceVersion("1"),
    creationTimestamp: "2026-01-01T00:00:00Z",
    ...more,
  };
}

/** How a node is. */
export interface NodeSetup {
  readonly labels?: Record<string, string>;
  readonly allocatable?: Record<string, string>;
  readonly spec?: Node["spec"];
  readonly images?: NonNullable<Node["status"]>["images"];
}

/** A node with 4 cpus, 8 Gi and place for 110 pods; its name is its host name. */
export function node(name: string, setup: NodeSetup = {}): Node {
  const labels = { "kubernetes.io/hostname": name, ...setup.labels };
  const allocatable = { cpu: "4", memory: "8Gi", pods: "110", ...setup.allocatable };
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: stored(name, { labels }),
    spec: setup.spec ?? {},
    status: {
      allocatable,
      capacity: allocatable,
      ...(setup.images !== undefined && { images: setup.images }),
    },
  };
}

/** How a pod is. */
export interface PodSetup {
  readonly requests?: Record<string, string>;
  readonly container?: Partial<Container>;
  readonly labels?: Record<string, string>;
  readonly spec?: Partial<Pod["spec"]>;
  readonly metadata?: Partial<Pod["metadata"]>;
  readonly status?: Pod["status"];
}

/** A pod of one container. */
export function pod(name: string, setup: PodSetup = {}): Pod {
  const { requests, container, labels, spec, metadata, status } = setup;
  const resources = requests === undefined ? {} : { resources: { requests } };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { ...stored(name, labels === undefined ? {} : { labels }), namespace: "default", ...metadata },
    spec: { containers: [{ name: "main", image: "main:1", ...resources, ...container }], ...spec },
    status: { phase: "Pending", ...status },
  };
}

/** A claim, by what it asks for. */
export function claim(
  name: string,
  spec: PersistentVolumeClaim["spec"] = {},
  annotations: Record<string, string> = {},
): PersistentVolumeClaim {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { ...stored(name, { annotations }), namespace: "default" },
    spec,
  };
}

/** A volume that is on the nodes of these host names only. */
export function localVolume(name: string, hostnames: readonly string[]): PersistentVolume {
  const matchExpressions = [{ key: "kubernetes.io/hostname", operator: "In", values: [...hostnames] }];
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: stored(name),
    spec: { nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } } },
  };
}
