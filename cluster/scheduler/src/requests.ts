import {
  addQuantities,
  compareQuantities,
  parseQuantity,
  type DeepReadonly,
  type Quantity,
} from "@kedge/machinery";
import type { Container, Pod } from "@kedge/machinery/kinds/core/v1";

/** Amounts by the name of the resource: cpu, memory, … */
export type Amounts = ReadonlyMap<string, Quantity>;

/** What a pod asks for: all containers together, or a single init container where that asks for more. */
export function requestsOf(pod: DeepReadonly<Pod>): Amounts {
  const together = sum(pod.spec.containers.map(amountsOf));
  // Init containers that restart always run beside the others.
  const beside = (pod.spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  const before = (pod.spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy !== "Always");
  const running = sum([together, ...beside.map(amountsOf)]);
  const most = largest([running, ...before.map(amountsOf)]);
  const { overhead } = pod.spec;
  return overhead === undefined ? most : sum([most, parse(overhead)]);
}

/** The sum of amounts. */
export function sum(all: readonly Amounts[]): Amounts {
  const total = new Map<string, Quantity>();
  for (const [name, amount] of all.flatMap((amounts) => [...amounts])) {
    const before = total.get(name);
    total.set(name, before === undefined ? amount : addQuantities(before, amount));
  }
  return total;
}

/** Reads quantities; what is not one counts as nothing. */
export function parse(texts: Readonly<Record<string, unknown>>): Amounts {
  return new Map(Object.entries(texts).map(([name, text]) => [name, parseQuantity(String(text))]));
}

function amountsOf(container: DeepReadonly<Container>): Amounts {
  return parse(container.resources?.requests ?? {});
}

function largest(all: readonly Amounts[]): Amounts {
  const most = new Map<string, Quantity>();
  for (const [name, amount] of all.flatMap((amounts) => [...amounts])) {
    const before = most.get(name);
    if (before === undefined || compareQuantities(amount, before) > 0) most.set(name, amount);
  }
  return most;
}
