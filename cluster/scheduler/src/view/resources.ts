import { parseQuantity, quantityMilliValue, quantityValue, type DeepReadonly } from "@kedge/machinery";

/**
 * Amounts of resources as the scheduler counts them: cpu in thousandths, all others in whole units, rounded up. The three
 * that nearly every pod has are fields, as they are compared for each pod on each node.
 */
export interface Resources {
  readonly cpu: number;
  readonly memory: number;
  /** `ephemeral-storage` */
  readonly storage: number;
  /** By name; none of them is zero. */
  readonly others: ReadonlyMap<string, number>;
}

/** Amounts that are counted up and down. */
export interface MutableResources extends Resources {
  cpu: number;
  memory: number;
  storage: number;
  readonly others: Map<string, number>;
}

/** Nothing yet. */
export function emptyResources(): MutableResources {
  return { cpu: 0, memory: 0, storage: 0, others: new Map() };
}

/** Amounts of their own, to be changed. */
export function copyOf({ cpu, memory, storage, others }: Resources): MutableResources {
  return { cpu, memory, storage, others: new Map(others) };
}

/** Reads amounts as objects hold them: `{ cpu: "100m", memory: "1Gi" }`. */
export function resourcesOf(texts: DeepReadonly<Record<string, unknown>> | undefined): Resources {
  const resources = emptyResources();
  if (texts === undefined) return resources;
  for (const name of Object.keys(texts)) setAmount(resources, name, amountOf(name, String(texts[name])));
  return resources;
}

/** The amount of one resource. */
export function amountIn(resources: Resources, name: string): number {
  if (name === "cpu") return resources.cpu;
  if (name === "memory") return resources.memory;
  if (name === "ephemeral-storage") return resources.storage;
  return resources.others.get(name) ?? 0;
}

/** Changes the amount of one resource. */
export function setAmount(resources: MutableResources, name: string, amount: number): void {
  if (name === "cpu") resources.cpu = amount;
  else if (name === "memory") resources.memory = amount;
  else if (name === "ephemeral-storage") resources.storage = amount;
  else if (amount === 0) resources.others.delete(name);
  else resources.others.set(name, amount);
}

/** Adds amounts to others, or takes them away with a factor of -1. */
export function addTo(sum: MutableResources, added: Resources, factor: 1 | -1 = 1): void {
  sum.cpu += factor * added.cpu;
  sum.memory += factor * added.memory;
  sum.storage += factor * added.storage;
  for (const [name, amount] of added.others) {
    setAmount(sum, name, (sum.others.get(name) ?? 0) + factor * amount);
  }
}

/** Raises amounts to those of others where these are more. */
export function raiseTo(most: MutableResources, other: Resources): void {
  most.cpu = Math.max(most.cpu, other.cpu);
  most.memory = Math.max(most.memory, other.memory);
  most.storage = Math.max(most.storage, other.storage);
  for (const [name, amount] of other.others) {
    setAmount(most, name, Math.max(most.others.get(name) ?? 0, amount));
  }
}

/** One amount of a resource. The same few texts come again and again: each is read once. */
export function amountOf(resource: string, text: string): number {
  const key = resource === "cpu" ? `cpu ${text}` : text;
  const known = amounts.get(key);
  if (known !== undefined) return known;
  const quantity = parseQuantity(text);
  const amount = Number(resource === "cpu" ? quantityMilliValue(quantity) : quantityValue(quantity));
  if (amounts.size >= mostKnown) amounts.clear();
  amounts.set(key, amount);
  return amount;
}

const amounts = new Map<string, number>();
const mostKnown = 10_000;
