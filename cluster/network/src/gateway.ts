import { readdir } from "node:fs/promises";
import type { Clock } from "@kedge/machinery";
import { addressAt, parseRange } from "./address.ts";
import type { NetworkCommands } from "./commands.ts";
import { allowForwarding, forwardHere, restoreForwarding } from "./forwarding.ts";
import { guardOf } from "./guard.ts";
import { hasInterface, interfaceNames } from "./interfaces.ts";
import { loadBalancerRange } from "./load-balancer-range.ts";
import { isBridge, networkNames } from "./names.ts";
import type { ClusterNetwork } from "./types.ts";

/** What a network is changed with. */
export interface Machine {
  readonly commands: NetworkCommands;
  readonly clock: Clock;
}

/** Where named network namespaces are. */
export const namespaceFolder = "/run/netns";

/** The first address of the range: of the node itself, and the gateway of its pods. */
export function gatewayOf({ podCIDR }: Pick<ClusterNetwork, "podCIDR">): string {
  return addressAt(parseRange(podCIDR), 1);
}

/**
 * Makes what all pods share. The gateway has its address on a bridge without ports (not every kernel has dummy
 * interfaces); Linux answers for it on every veth pair.
 */
export async function makeGateway(network: ClusterNetwork, { commands, clock }: Machine): Promise<void> {
  const { bridge } = networkNames(network);
  const gateway = gatewayOf(network);
  // Before there is anything that it could keep strangers from. A node behind an uplink is behind the machine's guard.
  if (network.uplink === undefined) await commands.nft(guardOf(network));
  if (!(await hasInterface(bridge, clock))) await commands.ip("link", "add", bridge, "type", "bridge");
  await commands.ipBatch([
    `addr replace ${gateway}/32 dev ${bridge}`,
    `link set ${bridge} up`,
    // So that this machine's own connections to services have an address to come from.
    `route replace ${network.serviceRange} dev ${bridge} src ${gateway}`,
    ...(network.uplink === undefined
      ? [`route replace ${loadBalancerRange(network.podRange)} dev ${bridge} src ${gateway}`]
      : []),
    // What has no pod goes nowhere, instead of out of the machine.
    `route replace unreachable ${closedRange(network)}`,
  ]);
  await (network.uplink === undefined ? allowForwarding({ commands, clock }) : forwardHere(clock));
}

/** Removes every namespace, interface and rule of this network, whoever made it and how far that has come. */
export async function removeNetwork(network: ClusterNetwork, { commands, clock }: Machine): Promise<void> {
  const names = networkNames(network);
  const interfaces = await interfaceNames(clock);
  for (const veth of interfaces.filter((name) => name.startsWith(names.vethPrefix))) {
    // Its other end may have been going already, and takes it with it.
    if (await hasInterface(veth, clock)) await commands.ip("link", "del", veth);
  }
  const namespaces = await clock.track(readdir(namespaceFolder)).catch(() => []);
  for (const namespace of namespaces.filter((name) => name.startsWith(names.namespacePrefix)))
    await commands.ip("netns", "del", namespace);
  if (interfaces.includes(names.bridge)) {
    // Who was killed while it started, or shared the range with another, has not got the route.
    const route = ["unreachable", closedRange(network)];
    const shown = await commands.ip("route", "show", "type", ...route);
    if (shown !== "") await commands.ip("route", "del", ...route);
    await commands.ip("link", "del", names.bridge);
  }
  const tables = [names.table, names.guard, names.hostPorts, names.policies, names.faults];
  await commands.nft(tables.map((table) => `add table ip ${table}\ndelete table ip ${table}\n`).join(""));
  if (network.uplink !== undefined) return;
  const isLast = !interfaces.some((name) => isBridge(name) && name !== names.bridge);
  if (isLast) await restoreForwarding({ commands, clock });
}

/** Behind an uplink other nodes have the rest of the range. */
function closedRange({ uplink, podRange, podCIDR }: ClusterNetwork): string {
  return uplink === undefined ? podRange : podCIDR;
}
