import { addQuantities, compareQuantities, parseQuantity, type Quantity } from "@kedge/machinery";
import { containersOf, initContainersOf, isSidecar } from "./spec-of.ts";
import type { ApiPod, ContainerDefinition } from "./types.ts";

/**
 * What all containers of a pod ask for together, at the moment when it is the most: those that go on running side by
 * side, or an init container beside the sidecars before it. Undefined: none asks for any.
 */
export function podTotal(
  pod: ApiPod,
  askedBy: (container: ContainerDefinition) => string | undefined,
): Quantity | undefined {
  let sidecars: Quantity | undefined;
  let most: Quantity | undefined;
  for (const container of initContainersOf(pod)) {
    const together = sum(sidecars, askedBy(container));
    if (isSidecar(container)) sidecars = together;
    else most = larger(most, together);
  }
  const running = containersOf(pod).reduce((total, container) => sum(total, askedBy(container)), sidecars);
  return larger(most, running);
}

function sum(total: Quantity | undefined, more: string | undefined): Quantity | undefined {
  if (more === undefined) return total;
  return total === undefined ? parseQuantity(more) : addQuantities(total, parseQuantity(more));
}

function larger(one: Quantity | undefined, other: Quantity | undefined): Quantity | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return compareQuantities(one, other) < 0 ? other : one;
}
