import type { ClusterRanges } from "@kedge/network";
import type { NodeSettings } from "./node-settings.ts";

/**
 * The addresses of simulated pods and services. They are of a block that is reserved, so that nobody answers at them:
 * what speaks to a simulated Redis must not tell its password to a stranger. All simulated clusters may share them.
 */
export const simulatedRanges: ClusterRanges = { podRange: "240.0.0.0/12", serviceRange: "240.96.0.0/16" };

/** As whom the process of all simulated nodes comes to the API server, and what it is asked as. */
export function simulatedIdentity(nodes: readonly NodeSettings[]): readonly NodeSettings[] {
  return nodes.slice(0, 1).map((node) => ({ ...node, name: simulatedNodes }));
}

/** Its name: no node has it, theirs all begin with `kedge`. */
export const simulatedNodes = "simulated-nodes";
