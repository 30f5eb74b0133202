import type { DeepReadonly } from "@kedge/machinery";
import type { Pod } from "@kedge/machinery/kinds/core/v1";
import { isReady } from "../../pods/pod-state.ts";
import { wholeReplicas } from "./amounts.ts";
import { noPods } from "./replicas-by-pods.ts";
import { isTolerated, type Tolerances } from "./tolerances.ts";

/** A value, in thousandths, and the one that it is to have. */
export interface ValueTarget {
  readonly value: bigint;
  readonly target: bigint;
  readonly replicas: number;
  readonly tolerances: Tolerances;
}

/** How many pods bring a value to its target, if each that is ready has the same share of it. Throws without pods. */
export function replicasByValue(
  { value, target, replicas, tolerances }: ValueTarget,
  pods: readonly DeepReadonly<Pod>[],
): number {
  const ratio = Number(value) / Number(target);
  if (replicas === 0) return wholeReplicas(ratio);
  if (isTolerated(tolerances, ratio)) return replicas;
  if (pods.length === 0) throw new Error(`unable to calculate ready pods: ${noPods}`);
  const ready = pods.filter((pod) => pod.status?.phase === "Running" && isReady(pod));
  return wholeReplicas(ratio * ready.length);
}

/** How many pods bring each one's share of a value to the target, and the share now. */
export function replicasByShare({ value, target, replicas, tolerances }: ValueTarget): {
  readonly replicas: number;
  readonly share: bigint;
} {
  const ratio = Number(value) / (Number(target) * replicas);
  const count = BigInt(Math.max(1, replicas));
  return {
    replicas: isTolerated(tolerances, ratio) ? replicas : wholeReplicas(Number(value) / Number(target)),
    share: value < 0n ? value / count : (value + count - 1n) / count,
  };
}
