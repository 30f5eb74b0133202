import { networkNames } from "../names.ts";
import { nftChain, nftSet } from "../proxy/nft-text.ts";
import type { ClusterNetwork, HostPort } from "../types.ts";

/** A port of the node, and the pod that answers there. */
export interface LedHostPort extends HostPort {
  /** The pod's. */
  readonly podAddress: string;
}

/**
 * The nftables ruleset that leads connections to ports of this node on to its pods. It replaces the one before in one
 * transaction; connections that are under way keep their pod. Without ports there is no table.
 */
export function hostPortsTable(network: ClusterNetwork, ports: readonly LedHostPort[]): string {
  const { hostPorts: table, vethPrefix } = networkNames(network);
  const anew = `add table ip ${table}\ndelete table ip ${table}\n`;
  if (ports.length === 0) return anew;
  const from = [`${vethPrefix}*`, ...(network.uplink === undefined ? [] : [network.uplink])];
  const anywhere = ports.filter(({ address }) => address === undefined);
  const somewhere = ports.filter(({ address }) => address !== undefined);
  return [
    `${anew}table ip ${table} {`,
    ...nftData(
      "anywhere",
      `${numbered} : ${pod}`,
      anywhere.map((port) => `${numberOf(port)} : ${podOf(port)}`),
    ),
    ...nftData(
      "somewhere",
      `ipv4_addr . ${numbered} : ${pod}`,
      somewhere.map((port) => `${port.address} . ${numberOf(port)} : ${podOf(port)}`),
    ),
    ...nftSet("themselves", "ipv4_addr . ipv4_addr", [
      ...new Set(ports.map(({ podAddress }) => `${podAddress} . ${podAddress}`)),
    ]),
    ...nftChain("lead", [
      // What comes from the loopback could not be answered.
      "ip daddr 127.0.0.0/8 return",
      "dnat ip addr . port to ip daddr . meta l4proto . th dport map @somewhere",
      "fib daddr type local dnat ip addr . port to meta l4proto . th dport map @anywhere",
    ]),
    ...nftChain("prerouting", [
      // Before the services: who has the port of the node itself has it first.
      "type nat hook prerouting priority dstnat - 5;",
      // Other machines have no business here, as with node ports.
      ...(network.exposeNodePorts === true
        ? ["goto lead"]
        : from.map((name) => `iifname "${name}" goto lead`)),
    ]),
    ...nftChain("output", ["type nat hook output priority -105;", "goto lead"]),
    ...nftChain("postrouting", [
      "type nat hook postrouting priority srcnat;",
      // A pod that reaches itself by the node would refuse packets from its own address.
      "ip saddr . ip daddr @themselves masquerade",
    ]),
    "}",
    "",
  ].join("\n");
}

const numbered = "inet_proto . inet_service";
const pod = "ipv4_addr . inet_service";

function numberOf({ protocol, port }: HostPort): string {
  return `${protocol} . ${port}`;
}

function podOf({ podAddress, containerPort }: LedHostPort): string {
  return `${podAddress} . ${containerPort}`;
}

function nftData(name: string, type: string, elements: readonly string[]): readonly string[] {
  return [
    `  map ${name} {`,
    `    type ${type}`,
    ...(elements.length === 0 ? [] : [`    elements = { ${elements.join(", ")} }`]),
    "  }",
  ];
}
