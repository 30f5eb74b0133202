import { gatewayOf } from "../gateway.ts";
import { loadBalancerRange } from "../load-balancer-range.ts";
import { networkNames } from "../names.ts";
import type { ClusterNetwork } from "../types.ts";
import { addressSets } from "./address-sets.ts";
import { nftChain } from "./nft-text.ts";
import { chainsOf, masqueradeMark } from "./port-chains.ts";
import type { ServicePort } from "./service-ports.ts";

/** What a table has that comes and goes with services. */
export interface TableContents {
  readonly chains: readonly string[];
  /** Sets that remember which endpoint a client has. */
  readonly memories: readonly string[];
}

/** The rules of a table, and how they get there: each way is one transaction. */
export interface Ruleset {
  /** The table with its rules. */
  readonly text: string;
  readonly contents: TableContents;
  /** Makes the table anew, whatever is there. */
  anew(): string;
  /**
   * Replaces the rules of a table that is known, and deletes what nothing has referred to since the ruleset before.
   * What is not wanted any more from now on is left, without rules, to the next one.
   */
  again(unused: TableContents): string;
}

/**
 * The nftables ruleset that leads connections to services on to their endpoints. Connections that are under way keep
 * their endpoint, and what is remembered of clients stays unless the table is made anew.
 */
export function rulesetOf(
  network: ClusterNetwork,
  ports: readonly ServicePort[],
  { isNode = true }: { readonly isNode?: boolean } = {},
): Ruleset {
  const { table, vethPrefix } = networkNames(network);
  const { podRange, podCIDR, serviceRange } = network;
  // What comes from the rest of the cluster was let in by the machine.
  const from = [`${vethPrefix}*`, ...(network.uplink === undefined ? [] : [network.uplink])];
  const led = ports.map((port) => ({ port, chains: chainsOf(port, { podCIDR, podRange, isNode }) }));
  const sets = addressSets(led);
  const body = [
    ...sets.flatMap(({ lines }) => lines),
    ...nftChain("services", [
      `ip daddr ${serviceRange} ip saddr != ${podCIDR} meta mark set meta mark or ${masqueradeMark}`,
      "ip daddr . meta l4proto . th dport vmap @cluster-addresses",
      "goto outside",
    ]),
    ...nftChain("outside", [
      "ip daddr . meta l4proto . th dport vmap @external-addresses",
      "fib daddr type local meta l4proto . th dport vmap @node-ports",
    ]),
    ...nftChain("prerouting", [
      "type nat hook prerouting priority dstnat;",
      // Other machines have no business here, but where node ports are for them, too.
      ...from.map((name) => `iifname "${name}" goto services`),
      ...(network.exposeNodePorts === true ? ["goto outside"] : []),
    ]),
    ...nftChain("output", ["type nat hook output priority -100;", ...ownResolver(network), "goto services"]),
    ...nftChain("postrouting", [
      "type nat hook postrouting priority srcnat;",
      // A pod that reaches itself through a service would refuse packets from its own address.
      "ip saddr . ip daddr @themselves masquerade",
      `ip saddr ${podRange} ip daddr != { ${podRange}, ${serviceRange} } masquerade`,
      // Connections that came from elsewhere go back the way they came.
      `meta mark and ${masqueradeMark} == ${masqueradeMark} masquerade`,
    ]),
    ...nftChain("refused", ["reject"]),
    ...nftChain("unled", [
      "ip daddr . meta l4proto . th dport vmap @refused-addresses",
      `ip daddr { ${serviceRange}, ${loadBalancerRange(podRange)} } reject`,
      "ct state new fib daddr type local meta l4proto . th dport vmap @refused-ports",
    ]),
    ...(["forward", "input", "output"] as const).flatMap((hook) =>
      nftChain(`unled-${hook}`, [`type filter hook ${hook} priority filter;`, "goto unled"]),
    ),
    ...led.flatMap(({ port, chains }) => [`  # ${port.name}`, ...chains.lines]),
  ];
  const contents = {
    chains: led.flatMap(({ chains }) => chains.chains),
    memories: led.flatMap(({ chains }) => chains.memories),
  };
  const text = [`table ip ${table} {`, ...body, "}", ""].join("\n");
  return {
    text,
    contents,
    // Adding first makes the deletion succeed when there is no table yet.
    anew: () => `add table ip ${table}\ndelete table ip ${table}\n${text}`,
    again: (unused) =>
      [
        `flush table ip ${table}`,
        ...sets.map(({ kind, name }) => `flush ${kind} ip ${table} ${name}`),
        ...without(unused.chains, contents.chains).map((name) => `delete chain ip ${table} ${name}`),
        ...without(unused.memories, contents.memories).map((name) => `delete set ip ${table} ${name}`),
        text,
      ].join("\n"),
  };
}

/** What a table had before a ruleset that does not want it. */
export function unusedBy({ contents }: Pick<Ruleset, "contents">, before: TableContents): TableContents {
  return {
    chains: without(before.chains, contents.chains),
    memories: without(before.memories, contents.memories),
  };
}

function without(names: readonly string[], kept: readonly string[]): readonly string[] {
  const all = new Set(kept);
  return names.filter((name) => !all.has(name));
}

/**
 * On many machines /etc/resolv.conf names a server on the loopback, which a node in a network namespace of its own does
 * not reach. The node's own answers instead: it knows where to ask.
 */
function ownResolver({ uplink, podCIDR }: ClusterNetwork): readonly string[] {
  if (uplink === undefined) return [];
  return [`ip daddr 127.0.0.0/8 meta l4proto { tcp, udp } th dport 53 dnat to ${gatewayOf({ podCIDR })}`];
}
