import { createHash } from "node:crypto";
import { access } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@kedge/machinery";
import { addressAt, parseRange } from "./address.ts";
import type { NetworkCommands } from "./commands.ts";
import { gatewayOf, makeGateway, namespaceFolder, removeNetwork } from "./gateway.ts";
import { hasInterface } from "./interfaces.ts";
import { networkNames } from "./names.ts";
import type { ClusterNetwork } from "./types.ts";

/**
 * The machine's own part in a cluster of several nodes. Each node has a network namespace, and a veth pair to the
 * machine, which routes between them: a node is to the machine what a pod is to a node.
 */
export interface MachineNetwork {
  /** Where nodes and their pods reach what runs on the machine: the API server, operators. */
  readonly address: string;
  /** Makes what all nodes share, and links these. */
  start(nodes: readonly LinkedNode[]): Promise<void>;
  /** Gives a node its network namespace, new and empty. */
  link(node: LinkedNode): Promise<void>;
  /** Takes it away, with all that is in it. Does nothing when there is none. */
  unlink(name: string): Promise<void>;
  /** Removes all of it. */
  remove(): Promise<void>;
}

/** A node that is linked to the machine. */
export interface LinkedNode {
  readonly name: string;
  readonly podCIDR: string;
}

/** What a machine's network is made with. */
export interface MachineNetworkOptions {
  readonly network: ClusterNetwork;
  readonly commands: NetworkCommands;
  readonly clock: Clock;
}

/** What the interface to the machine is called in the namespace of a node. */
export const nodeUplink = "eth0";

/** The addresses of a cluster that are the machine's: the last 256 of the pods'. No node gets them. */
export function machineCIDR(podRange: string): string {
  const range = parseRange(podRange);
  return `${addressAt(range, Math.max(0, range.size - 256))}/24`;
}

/** The id of a cluster's network on the machine itself, other than that of any of its nodes. */
export function machineNetworkId(clusterId: string): string {
  return createHash("sha256").update(`${clusterId}/`).digest("hex").slice(0, 6);
}

/** The name of a node's network namespace. `id` is that of the machine's network. */
export function nodeNamespace(id: string, node: string): string {
  return `${networkNames({ id }).namespacePrefix}${node}`;
}

/** Where it can be entered. */
export function nodeNamespacePath(id: string, node: string): string {
  return join(namespaceFolder, nodeNamespace(id, node));
}

/** The machine's end of the veth pair to a node. */
export function nodeLink(id: string, node: string): string {
  return networkNames({ id }).vethOf(`node/${node}`);
}

/** The network of a machine that has several nodes. Nothing is made before `start`. */
export function createMachineNetwork({ network, commands, clock }: MachineNetworkOptions): MachineNetwork {
  const { id } = network;
  const address = gatewayOf(network);
  const machine = { commands, clock };

  const make = async (nodes: readonly LinkedNode[]): Promise<void> => {
    await commands.ipBatch(
      nodes.flatMap(({ name }) => [
        `netns add ${nodeNamespace(id, name)}`,
        `link add ${nodeLink(id, name)} type veth peer name ${nodeUplink} netns ${nodeNamespace(id, name)}`,
      ]),
    );
    const inside = async (node: LinkedNode): Promise<void> => {
      const own = gatewayOf(node);
      const lines = [
        "link set lo up",
        `addr add ${own}/32 dev ${nodeUplink}`,
        `link set ${nodeUplink} up`,
        `route add default via ${address} dev ${nodeUplink} onlink src ${own}`,
      ];
      await commands.ipBatch(lines, nodeNamespace(id, node.name));
    };
    await Promise.all(nodes.map(inside));
    await commands.ipBatch(
      nodes.flatMap((node) => [
        `link set ${nodeLink(id, node.name)} up`,
        `route replace ${node.podCIDR} via ${gatewayOf(node)} dev ${nodeLink(id, node.name)} onlink src ${address}`,
      ]),
    );
  };

  const unlink = async (name: string): Promise<void> => {
    const [veth, path] = [nodeLink(id, name), nodeNamespacePath(id, name)];
    // First: from then on the node is cut off, whatever in it still runs.
    if (await hasInterface(veth, clock)) await commands.ip("link", "del", veth);
    const isThere = await clock.track(
      access(path).then(
        () => true,
        () => false,
      ),
    );
    if (isThere) await commands.ip("netns", "del", nodeNamespace(id, name));
  };

  return {
    address,
    async start(nodes) {
      await makeGateway(network, machine);
      await make(nodes);
    },
    async link(node) {
      await unlink(node.name);
      await make([node]);
    },
    unlink,
    remove: () => removeNetwork(network, machine),
  };
}
