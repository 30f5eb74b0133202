import { networkNames } from "./names.ts";
import type { ClusterNetwork } from "./types.ts";

/**
 * The nftables ruleset that lets only this machine and the cluster's own pods connect to pods and to the gateway, where
 * DNS and the node's API listen. Otherwise whoever is on a network of this machine could send packets for these
 * addresses to it: it routes them. Answers to what pods asked for, and node ports that are exposed, pass.
 */
export function guardOf(network: ClusterNetwork): string {
  const { guard, vethPrefix } = networkNames(network);
  const fromOthers = `iifname != "${vethPrefix}*"`;
  return [
    `add table ip ${guard}`,
    `delete table ip ${guard}`,
    `table ip ${guard} {`,
    "  chain forward {",
    "    type filter hook forward priority filter; policy accept;",
    ...(network.exposeNodePorts === true ? ["    ct status dnat accept"] : []),
    `    ${fromOthers} oifname "${vethPrefix}*" ct state new drop`,
    "  }",
    "  chain input {",
    "    type filter hook input priority filter; policy accept;",
    `    iifname != "lo" ${fromOthers} ip daddr ${network.podRange} drop`,
    "  }",
    "}",
    "",
  ].join("\n");
}
