import { parseQuantity, quantityToString, type DeepReadonly, type IntOrString } from "@kedge/machinery";
import type { ResourceRequirements } from "@kedge/machinery/kinds/core/v1";
import type { CoreTypes } from "./core-type.ts";

/** A quantity of a custom resource as built-in kinds keep it: `1000m` becomes `1`. Throws when it is none. */
export function canonicalQuantity(value: IntOrString): string {
  return quantityToString(parseQuantity(String(value)));
}

/** Resources of a custom resource as built-in kinds keep them, so that an apply that changes nothing is seen as such. */
export function canonicalResources(
  resources: DeepReadonly<CoreTypes["ResourceRequirements"]>,
): ResourceRequirements {
  const { claims, limits, requests } = resources;
  return {
    ...(claims !== undefined && { claims: [...claims] }),
    ...(limits !== undefined && { limits: canonicalQuantities(limits) }),
    ...(requests !== undefined && { requests: canonicalQuantities(requests) }),
  };
}

function canonicalQuantities(quantities: Readonly<Record<string, IntOrString>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(quantities).map(([name, value]) => [name, canonicalQuantity(value)]),
  );
}
