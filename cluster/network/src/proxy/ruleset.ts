import { gatewayOf } from "../gateway.ts";
import { networkNames } from "../names.ts";
import type { ClusterNetwork } from "../types.ts";
import type { ServicePort } from "./service-endpoints.ts";

/**
 * The nftables ruleset that leads connections to services on to their endpoints. It replaces the cluster's whole table
 * in one transaction; connections that are under way keep their endpoint.
 */
export function rulesetOf(network: ClusterNetwork, ports: readonly ServicePort[]): string {
  const { table, vethPrefix } = networkNames(network);
  // What comes from the rest of the cluster was let in by the machine.
  const from = [`${vethPrefix}*`, ...(network.uplink === undefined ? [] : [network.uplink])];
  const served = ports.filter(({ endpoints }) => endpoints.length > 0);
  const empty = ports.filter(({ endpoints }) => endpoints.length === 0);
  const chains = new Map(served.map((port, index) => [port, `service-${index}`]));
  const chainOf = (port: ServicePort): string => chains.get(port) ?? "";
  const self = new Set(
    served.flatMap((port) => port.endpoints.map(({ address }) => `${address} . ${address}`)),
  );

  return [
    // Adding first makes the deletion succeed when there is no table yet.
    `add table ip ${table}`,
    `delete table ip ${table}`,
    `table ip ${table} {`,
    ...map(
      "cluster-addresses",
      "ipv4_addr . inet_proto . inet_service",
      served.map((port) => `${at(port)} : goto ${chainOf(port)}`),
    ),
    ...map(
      "node-ports",
      "inet_proto . inet_service",
      served
        .filter(({ nodePort }) => nodePort > 0)
        .map((port) => `${port.protocol} . ${port.nodePort} : goto ${chainOf(port)}`),
    ),
    ...set("without-endpoints", "ipv4_addr . inet_proto . inet_service", empty.map(at)),
    ...set("themselves", "ipv4_addr . ipv4_addr", [...self]),
    "  chain services {",
    "    ip daddr . meta l4proto . th dport vmap @cluster-addresses",
    "    fib daddr type local meta l4proto . th dport vmap @node-ports",
    "  }",
    "  chain prerouting {",
    "    type nat hook prerouting priority dstnat;",
    "    # Other machines have no business here, but where node ports are for them, too.",
    ...from.map((name) => `    iifname "${name}" goto services`),
    ...(network.exposeNodePorts === true
      ? ["    fib daddr type local meta l4proto . th dport vmap @node-ports"]
      : []),
    "  }",
    "  chain output {",
    "    type nat hook output priority -100;",
    ...ownResolver(network),
    "    goto services",
    "  }",
    "  chain postrouting {",
    "    type nat hook postrouting priority srcnat;",
    "    # A pod that reaches itself through a service would refuse packets from its own address.",
    "    ip saddr . ip daddr @themselves masquerade",
    `    ip saddr ${network.podRange} ip daddr != { ${network.podRange}, ${network.serviceRange} } masquerade`,
    "    # Connections that came to a port of this node from elsewhere go back the way they came.",
    `    ct status dnat ip saddr != ${network.podCIDR} ip daddr ${network.podRange} masquerade`,
    "  }",
    "  chain refuse {",
    "    ip daddr . meta l4proto . th dport @without-endpoints reject",
    "  }",
    "  chain refuse-forward { type filter hook forward priority filter; goto refuse; }",
    "  chain refuse-output { type filter hook output priority filter; goto refuse; }",
    ...served.flatMap((port) => [
      `  chain ${chainOf(port)} { # ${port.name}`,
      `    meta l4proto ${port.protocol} dnat to ${destination(port)}`,
      "  }",
    ]),
    "}",
    "",
  ].join("\n");
}

/**
 * On many machines /etc/resolv.conf names a server on the loopback, which a node in a network namespace of its own does
 * not reach. The node's own answers instead: it knows where to ask.
 */
function ownResolver({ uplink, podCIDR }: ClusterNetwork): readonly string[] {
  if (uplink === undefined) return [];
  const gateway = gatewayOf({ podCIDR });
  return [`    ip daddr 127.0.0.0/8 meta l4proto { tcp, udp } th dport 53 dnat to ${gateway}`];
}

function at({ clusterAddress, protocol, port }: ServicePort): string {
  return `${clusterAddress} . ${protocol} . ${port}`;
}

/** One endpoint, or each with the same chance. */
function destination({ endpoints }: ServicePort): string {
  const [only] = endpoints;
  if (endpoints.length === 1 && only !== undefined) return `${only.address}:${only.port}`;
  const choices = endpoints.map(({ address, port }, index) => `${index} : ${address} . ${port}`);
  return `numgen random mod ${endpoints.length} map { ${choices.join(", ")} }`;
}

function map(name: string, key: string, elements: readonly string[]): readonly string[] {
  return block(`map ${name}`, `type ${key} : verdict`, elements);
}

function set(name: string, key: string, elements: readonly string[]): readonly string[] {
  return block(`set ${name}`, `type ${key}`, elements);
}

function block(head: string, type: string, elements: readonly string[]): readonly string[] {
  const lines = [`  ${head} {`, `    ${type}`];
  if (elements.length > 0) lines.push(`    elements = { ${elements.join(", ")} }`);
  return [...lines, "  }"];
}
