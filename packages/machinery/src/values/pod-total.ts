import { addQuantities, compareQuantities, type Quantity } from "./quantity.ts";
import { parseQuantity } from "./quantity-text.ts";

/** The containers of a pod. */
interface PodContainers<C> {
  readonly initContainers?: readonly C[] | undefined;
  readonly containers?: readonly C[] | undefined;
}

/**
 * What all containers of a pod ask for together, at the moment when it is the most: those that go on running side by
 * side, or an init container beside the sidecars before it. Undefined: none asks for any.
 */
export function podTotal<C extends { readonly restartPolicy?: string | undefined }>(
  { initContainers = [], containers = [] }: PodContainers<C>,
  askedBy: (container: C) => string | undefined,
): Quantity | undefined {
  let sidecars: Quantity | undefined;
  let most: Quantity | undefined;
  for (const container of initContainers) {
    const together = sum(sidecars, askedBy(container));
    if (container.restartPolicy === "Always") sidecars = together;
    else most = larger(most, together);
  }
  const running = containers.reduce((total, container) => sum(total, askedBy(container)), sidecars);
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
