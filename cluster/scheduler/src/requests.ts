import {
  addQuantities,
  compareQuantities,
  parseQuantity,
  subtractQuantities,
  type DeepReadonly,
  type Quantity,
} from "@kedge/machinery";
import type { Container, Node, Pod } from "@kedge/machinery/kinds/core/v1";

/** Amounts by the name of the resource: cpu, memory, … */
export type Amounts = ReadonlyMap<string, Quantity>;

/** What a pod asks for: all containers together, or what an init container asks for where that is more. */
export function requestsOf(pod: DeepReadonly<Pod>): Amounts {
  return podAmounts(pod, amountsOf);
}

/** The same for comparing nodes: a container that asks for nothing will use something. */
export function scoringRequestsOf(pod: DeepReadonly<Pod>): Amounts {
  return podAmounts(pod, (container) => new Map([...assumed(), ...amountsOf(container)]));
}

/** What is left of a node's resources; `pods` counts places. */
export function freeOn(node: DeepReadonly<Node>, pods: readonly DeepReadonly<Pod>[]): Amounts {
  const used = new Map(sum(pods.map(requestsOf)));
  used.set("pods", parseQuantity(String(pods.length)));
  const all = parse(node.status?.allocatable ?? node.status?.capacity ?? {});
  return new Map(
    [...all].map(([name, amount]) => [
      name,
      subtractQuantities(amount, used.get(name) ?? parseQuantity("0")),
    ]),
  );
}

/** What a container that asks for nothing is taken to use. */
function assumed(): Amounts {
  return parse({ cpu: "100m", memory: "200Mi" });
}

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

/** The sum of amounts. */
export function sum(all: readonly Amounts[]): Amounts {
  const total = new Map<string, Quantity>();
  for (const [name, amount] of all.flatMap((amounts) => [...amounts])) {
    const before = total.get(name);
    total.set(name, before === undefined ? amount : addQuantities(before, amount));
  }
  return total;
}

/** Reads quantities. */
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
