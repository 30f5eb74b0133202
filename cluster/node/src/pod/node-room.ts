import { podTotal, parseQuantity, quantityMilliValue, quantityToNumber } from "@kedge/machinery";
import type { ApiPod, NodeRoom } from "../model/types.ts";
import { isFinal } from "../status/phase.ts";

/** A pod, and whether it has yet to be given what its spec says. */
export interface Tenant {
  readonly pod: ApiPod;
  readonly isDeferred: boolean;
}

/** What a node has, and what pods beside one have been given of it: thousandths of processors, and bytes. */
export function roomBeside(
  others: readonly Tenant[],
  allocatable: Readonly<Record<string, string | undefined>>,
): NodeRoom {
  const sum = (resource: "cpu" | "memory"): number =>
    others
      .filter(({ pod }) => !isFinal(pod.status?.phase))
      .reduce((total, tenant) => total + givenTo(tenant, resource), 0);
  const capacity = (resource: "cpu" | "memory"): number => amount(resource, allocatable[resource] ?? "0");
  return {
    cpu: { used: sum("cpu"), capacity: capacity("cpu") },
    memory: { used: sum("memory"), capacity: capacity("memory") },
  };
}

function givenTo({ pod, isDeferred }: Tenant, resource: "cpu" | "memory"): number {
  const statuses = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
  const total = podTotal(pod.spec ?? {}, ({ name, resources }) => {
    const allocated = statuses.find((status) => status.name === name)?.allocatedResources;
    return (isDeferred ? allocated?.[resource] : undefined) ?? resources?.requests?.[resource];
  });
  if (total === undefined) return 0;
  return resource === "cpu" ? Number(quantityMilliValue(total)) : quantityToNumber(total);
}

function amount(resource: "cpu" | "memory", text: string): number {
  const quantity = parseQuantity(text);
  return resource === "cpu" ? Number(quantityMilliValue(quantity)) : quantityToNumber(quantity);
}
