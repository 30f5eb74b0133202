import type { Clock, Logger } from "@kedge/machinery";
import {
  createMachineNetwork,
  createPodNetwork,
  gatewayOf,
  machineCIDR,
  machineNetworkId,
  nodeNamespacePath,
  nodeUplink,
  type ClusterNetwork,
  type MachineNetwork,
  type NetworkCommands,
  type PodNetwork,
} from "@kedge/network";
import type { ClusterFolder } from "./cluster-folder.ts";
import { isSimulated, type ClusterSettings } from "./cluster-settings.ts";
import { nodeFolder } from "./node-folder.ts";
import type { NodeSettings } from "./node-settings.ts";

/** What a node's network is made with. */
export interface NodeNetworkOptions {
  readonly folder: ClusterFolder;
  readonly settings: ClusterSettings;
  readonly node: NodeSettings;
  readonly commands: NetworkCommands;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The pod network of a node. Nothing is started. */
export function nodePodNetwork({ folder, settings, node, ...options }: NodeNetworkOptions): PodNetwork {
  return createPodNetwork({
    ...options,
    network: nodeNetwork(settings, node),
    folder: nodeFolder(folder, node).network,
  });
}

/** The cluster's network as a node has it. The only node of a cluster is in the machine's own network namespace. */
export function nodeNetwork(settings: ClusterSettings, node: NodeSettings): ClusterNetwork {
  const { networkId: id, podCIDR } = node;
  return { ...shared(settings), id, podCIDR, ...(hasNamespaces(settings) && { uplink: nodeUplink }) };
}

/** Whether each node has a network namespace of its own: several could not be told apart otherwise, one has no need. */
export function hasNamespaces(settings: Pick<ClusterSettings, "nodes" | "runtime">): boolean {
  return settings.nodes.length > 1 && !isSimulated(settings);
}

/** Where a node's network namespace is; undefined: the node is in the machine's own. */
export function namespaceOfNode(settings: ClusterSettings, { name }: NodeSettings): string | undefined {
  return hasNamespaces(settings) ? nodeNamespacePath(machineNetworkId(settings.id), name) : undefined;
}

/** The machine's own part in the network of a cluster of several nodes. Nothing is started. */
export function machineNetworkOf(
  settings: ClusterSettings,
  options: { readonly commands: NetworkCommands; readonly clock: Clock },
): MachineNetwork {
  return createMachineNetwork({ ...options, network: machineNetwork(settings) });
}

/** The cluster's network as the machine has it, when all nodes have namespaces. */
export function machineNetwork(settings: ClusterSettings): ClusterNetwork {
  const [id, podCIDR] = [machineNetworkId(settings.id), machineCIDR(settings.podRange)];
  return { ...shared(settings), id, podCIDR };
}

/** The machine's address among the pods': where nodes and pods reach the API server. */
export function machineAddress(settings: ClusterSettings): string {
  const [only] = settings.nodes;
  return gatewayOf(only === undefined || hasNamespaces(settings) ? machineNetwork(settings) : only);
}

/** Where the API server listens for nodes: one without a namespace of its own need not wait for its network. */
export function serverForNodes(settings: ClusterSettings): string {
  return hasNamespaces(settings) ? machineAddress(settings) : "127.0.0.1";
}

function shared({ podRange, serviceRange, domain, exposeNodePorts }: ClusterSettings) {
  const network = { podRange, serviceRange, domain };
  return exposeNodePorts === undefined ? network : { ...network, exposeNodePorts };
}
