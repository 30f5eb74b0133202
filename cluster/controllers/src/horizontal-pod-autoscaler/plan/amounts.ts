import { parseQuantity, quantityMilliValue } from "@kedge/machinery";

/** What a pod was measured to use, in thousandths. */
export interface PodAmount {
  readonly value: bigint;
  /** When it was measured, in milliseconds. */
  readonly time: number;
  /** Over how many milliseconds before. */
  readonly window: number;
}

/** Amounts by the name of their pod. */
export type PodAmounts = ReadonlyMap<string, PodAmount>;

/** What was found out about one metric: a value for each pod, values of something else, or why there is none. */
export type Measurement =
  | { readonly pods: PodAmounts }
  | { readonly values: readonly bigint[] }
  | { readonly failure: string };

/** A quantity in thousandths; more than Kubernetes can count is the most that it can. */
export function milliValue(text: string): bigint {
  const value = quantityMilliValue(parseQuantity(text));
  return value > most ? most : value;
}

const most = 2n ** 63n - 1n;

/** The sum, at most what Kubernetes can count. */
export function sumOf(values: Iterable<bigint>): bigint {
  let sum = 0n;
  for (const value of values) sum += value;
  return sum > most ? most : sum;
}

const mostReplicas = 2 ** 31 - 1;

/** The next whole number of replicas. */
export function wholeReplicas(count: number): number {
  return Math.min(Math.ceil(count), mostReplicas);
}
