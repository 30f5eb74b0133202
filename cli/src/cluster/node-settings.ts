import { createHash } from "node:crypto";
import { addressAt, gatewayOf, loadBalancerRange, machineCIDR, overlap, parseRange } from "@kedge/network";

/** What one node keeps from its first start on. */
export interface NodeSettings {
  readonly name: string;
  /** Distinguishes the interfaces and network namespaces of this node from those of other nodes on this machine. */
  readonly networkId: string;
  /** Where it keeps what it has, relative to the cluster's folder. */
  readonly folder: string;
  /** The addresses of its pods, a part of the cluster's `podRange`. */
  readonly podCIDR: string;
}

/** What a new node must fit into. */
export interface NodePlace {
  readonly id: string;
  readonly podRange: string;
  readonly nodes: readonly NodeSettings[];
}

/** Kubernetes' usual size of a node's range: 256 addresses, for 110 pods and those that are just being replaced. */
const prefix = 24;

/** Settings of a node that a cluster is to have, which clash with none that it has. */
export function newNode(cluster: NodePlace, name: string): NodeSettings {
  const first = cluster.nodes.length === 0;
  return {
    name,
    networkId: first
      ? cluster.id
      : createHash("sha256").update(`${cluster.id}/${name}`).digest("hex").slice(0, 6),
    folder: `nodes/${name}`,
    podCIDR: freeCIDR(cluster),
  };
}

/** The only node of a cluster from before there was a list: its folders are the cluster's own. */
export function onlyNode(cluster: Pick<NodePlace, "id" | "podRange">, name: string): NodeSettings {
  return { ...newNode({ ...cluster, nodes: [] }, name), folder: "." };
}

/** Where the node's agent and its DNS listen, and what its pods have as their gateway. */
export function nodeAddress(node: NodeSettings): string {
  return gatewayOf(node);
}

function freeCIDR({ podRange, nodes }: NodePlace): string {
  const range = parseRange(podRange);
  const known = new Set(nodes.map((node) => node.podCIDR));
  const taken = [machineCIDR(podRange), loadBalancerRange(podRange), ...known].map(parseRange);
  for (let place = 0; place < range.size; place += 2 ** (32 - prefix)) {
    const podCIDR = `${addressAt(range, place)}/${prefix}`;
    if (known.has(podCIDR)) continue; // Almost all, of hundreds.
    if (!taken.some((one) => overlap(one, parseRange(podCIDR)))) return podCIDR;
  }
  throw new Error(`no part of the pods' addresses ${podRange} is left for another node`);
}

/** Whether a value that was read is a node's settings. */
export function isNodeSettings(value: unknown): value is NodeSettings {
  const fields = new Map<string, unknown>(Object.entries(value ?? {}));
  return ["name", "networkId", "folder", "podCIDR"].every((name) => typeof fields.get(name) === "string");
}
