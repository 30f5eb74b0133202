import { nodeLink } from "../machine-network.ts";
import { networkNames } from "../names.ts";

/** The machine itself: the API server and the operators. Not the way between nodes, though it leads through it. */
export const machine = Symbol("machine");

/** Who is on one end of a connection: a node by its name, or the machine. */
export type Peer = string | typeof machine;

/** What is wrong between two peers, in both directions. */
export interface Fault {
  readonly between: readonly [Peer, Peer];
  /** How many bytes pass in a second, in each direction; the rest is lost. 0: it is cut, nothing passes. */
  readonly bytesPerSecond: number;
}

/** So much may pass at once, and a second's worth: no packet that Linux hands on in one piece is larger. */
const burst = 64 * 1024;

/** The nftables ruleset that makes these faults, and no others. `id` is that of the machine's network. */
export function faultRules(id: string, faults: readonly Fault[]): string {
  const table = networkNames({ id }).faults;
  const rules = faults.flatMap(({ between: [one, other], bytesPerSecond }) =>
    [directed(id, one, other), directed(id, other, one)].map(({ chain, match }) => ({
      chain,
      rule: `${match} ${bytesPerSecond === 0 ? "" : limit(bytesPerSecond)}drop`,
    })),
  );
  const chain = (name: "forward" | "input" | "output"): readonly string[] => [
    `  chain ${name} {`,
    `    type filter hook ${name} priority filter - 10; policy accept;`,
    ...rules.filter((rule) => rule.chain === name).map(({ rule }) => `    ${rule}`),
    "  }",
  ];
  return [
    // Adding first makes the deletion succeed when there is no table yet.
    `add table ip ${table}`,
    `delete table ip ${table}`,
    ...(faults.length === 0
      ? []
      : [`table ip ${table} {`, ...chain("forward"), ...chain("input"), ...chain("output"), "}"]),
    "",
  ].join("\n");
}

/** Where the packets from one peer to another come along. */
function directed(
  id: string,
  from: Peer,
  to: Peer,
): { readonly chain: "forward" | "input" | "output"; readonly match: string } {
  const enters = from === machine ? "" : `iifname "${nodeLink(id, from)}"`;
  const leaves = to === machine ? "" : `oifname "${nodeLink(id, to)}"`;
  if (from === machine) return { chain: "output", match: leaves };
  if (to === machine) return { chain: "input", match: enters };
  return { chain: "forward", match: `${enters} ${leaves}` };
}

function limit(bytesPerSecond: number): string {
  return `limit rate over ${bytesPerSecond} bytes/second burst ${burst} bytes `;
}
