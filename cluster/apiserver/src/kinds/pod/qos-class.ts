import {
  addQuantities,
  compareQuantities,
  parseQuantity,
  quantitySign,
  type Quantity,
} from "@kedge/machinery";
import type { PodSpec } from "@kedge/machinery/kinds/core/v1";
import type { Decoded } from "../../registry/decoded.ts";

/** How a pod is treated when its node runs out: from what its containers ask for and are held to. */
export function qosClass(spec: Decoded<PodSpec>): "Guaranteed" | "Burstable" | "BestEffort" {
  const requests = new Map<string, Quantity>();
  const limits = new Map<string, Quantity>();
  let isLimited = true;
  const resources =
    spec.resources === undefined
      ? [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map((container) => container.resources)
      : [spec.resources];
  for (const each of resources) {
    addAll(requests, each?.requests);
    isLimited = addAll(limits, each?.limits) === computeResources.length && isLimited;
  }
  if (requests.size === 0 && limits.size === 0) return "BestEffort";
  const isGuaranteed =
    isLimited &&
    requests.size === limits.size &&
    [...requests].every(([name, amount]) => {
      const limit = limits.get(name);
      return limit !== undefined && compareQuantities(limit, amount) === 0;
    });
  return isGuaranteed ? "Guaranteed" : "Burstable";
}

const computeResources = ["cpu", "memory"];

/** How many of the resources that matter were there. */
function addAll(
  sums: Map<string, Quantity>,
  amounts: Readonly<Record<string, string | undefined>> | undefined,
): number {
  let found = 0;
  for (const name of computeResources) {
    const text = amounts?.[name];
    const amount = text === undefined ? undefined : parseQuantity(text);
    if (amount === undefined || quantitySign(amount) <= 0) continue;
    const sum = sums.get(name);
    sums.set(name, sum === undefined ? amount : addQuantities(sum, amount));
    found++;
  }
  return found;
}
