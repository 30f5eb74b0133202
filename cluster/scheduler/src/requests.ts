import {
  addQuantities,
  compareQuantities,
  parseQuantity,
  type DeepReadonly,
  type Quantity,
} from "@kedge/machinery";
import type { Container, Node, Pod } from "@kedge/machinery/kinds/core/v1";

/** Amounts by the name of the resource: cpu, memory, … */
export type Amounts = ReadonlyMap<string, Quantity>;

/** Amounts that are counted up and down. */
export type MutableAmounts = Map<string, Quantity>;

/** What a pod asks for: all containers together, or what an init container asks for where that is more. */
export function requestsOf(pod: DeepReadonly<Pod>): Amounts {
  return podAmounts(pod, amountsOf);
}

/** The same for comparing nodes: a container that asks for nothing will use something. */
export function scoringRequestsOf(pod: DeepReadonly<Pod>): Amounts {
  return podAmounts(pod, (container) => parse({ ...usual, ...container.resources?.requests }));
}

/** What a node has for pods. Read once for each version of a node: every pod that is placed asks for it. */
export function allocatableOf(node: DeepReadonly<Node>): Amounts {
  const known = allocatable.get(node);
  if (known !== undefined) return known;
  const amounts = parse(node.status?.allocatable ?? node.status?.capacity ?? {});
  allocatable.set(node, amounts);
  return amounts;
}

const allocatable = new WeakMap<DeepReadonly<Node>, Amounts>();

/** What a container that asks for nothing is taken to use. */
const usual = { cpu: "100m", memory: "200Mi" };

function podAmounts(
  { spec }: DeepReadonly<Pod>,
  of: (container: DeepReadonly<Container>) => Amounts,
): Amounts {
  let sidecars: Amounts = new Map();
  let most: Amounts = new Map();
  for (const container of spec.initContainers ?? []) {
    // One that restarts always goes on beside all that come after it.
    if (container.restartPolicy === "Always") {
      sidecars = sum([sidecars, of(container)]);
      most = largest([most, sidecars]);
    } else most = largest([most, sum([sidecars, of(container)])]);
  }
  most = largest([most, sum([sidecars, ...spec.containers.map(of)])]);
  return spec.overhead === undefined ? most : sum([most, parse(spec.overhead)]);
}

function sum(all: readonly Amounts[]): Amounts {
  const total = new Map<string, Quantity>();
  for (const [name, amount] of all.flatMap((amounts) => [...amounts])) {
    const before = total.get(name);
    total.set(name, before === undefined ? amount : addQuantities(before, amount));
  }
  return total;
}

function parse(texts: Readonly<Record<string, unknown>>): Amounts {
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
