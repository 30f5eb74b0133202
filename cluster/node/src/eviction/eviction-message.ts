import { parseQuantity, quantityOf, quantityToNumber, quantityToString } from "@kedge/machinery";
import { containersOf } from "../model/spec-of.ts";
import type { PodWithUse } from "./rank-pods.ts";
import { resourceOf, type Shortage } from "./thresholds.ts";

/** Why a pod was chosen, in the kubelet's words. */
export function evictionMessage({ signal, least, supply }: Shortage, { pod, use }: PodWithUse): string {
  const resource = resourceOf(signal);
  const offenders = containersOf(pod).flatMap(({ name, resources }) => {
    const used = measured(resource, use)?.get(name);
    const request = resources?.requests?.[resource] ?? "0";
    return used === undefined || used <= quantityToNumber(parseQuantity(request))
      ? []
      : [
          `Container ${name} was using ${binary(used)}, request is ${request}, has larger consumption of ${resource}. `,
        ];
  });
  const available = isCounted(resource)
    ? quantityToString(quantityOf(supply.available))
    : binary(supply.available);
  return [
    `The node was low on resource: ${resource}. `,
    `Threshold quantity: ${binary(least)}, available: ${available}. `,
    ...offenders,
  ].join("");
}

function measured(
  resource: string,
  { memory, disk }: PodWithUse["use"],
): ReadonlyMap<string, number> | undefined {
  if (resource === "memory") return memory;
  return resource === "ephemeral-storage" ? disk : undefined;
}

/** Things rather than bytes. */
function isCounted(resource: string): boolean {
  return resource === "inodes" || resource === "pids";
}

function binary(value: number): string {
  return quantityToString(quantityOf(Math.floor(value), { format: "BinarySI" }));
}
