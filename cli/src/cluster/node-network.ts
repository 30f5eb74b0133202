import type { Clock, Logger } from "@kedge/machinery";
import { createPodNetwork, type ClusterNetwork, type NetworkCommands, type PodNetwork } from "@kedge/network";
import type { ClusterFolder } from "./cluster-folder.ts";
import type { ClusterSettings } from "./cluster-settings.ts";
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
    podCIDR: node.podCIDR,
    folder: nodeFolder(folder, node).network,
  });
}

/** The cluster's network as a node has it. */
export function nodeNetwork(settings: ClusterSettings, { networkId }: NodeSettings): ClusterNetwork {
  const { podRange, serviceRange, domain, exposeNodePorts } = settings;
  const otherNodes = settings.nodes.map((node) => node.networkId).filter((id) => id !== networkId);
  const network = { id: networkId, otherNodes, podRange, serviceRange, domain };
  return exposeNodePorts === undefined ? network : { ...network, exposeNodePorts };
}
