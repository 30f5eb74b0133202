import { NetworkPolicy } from "@kedge/machinery/kinds/networking/v1";
import type { KindDefinition } from "../kind-definition.ts";
import { networkPolicyPrinter } from "./printer.ts";
import { networkPolicyWarnings, validateNetworkPolicy } from "./validation.ts";

/** NetworkPolicies. What they forbid is kept apart by the nodes: `cluster/network/src/policy/`. */
export function networkPolicyDefinition(): KindDefinition {
  return {
    kind: NetworkPolicy,
    printer: networkPolicyPrinter,
    strategy: { validate: validateNetworkPolicy, warnings: networkPolicyWarnings },
  };
}
