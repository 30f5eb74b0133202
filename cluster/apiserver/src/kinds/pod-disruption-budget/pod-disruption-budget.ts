import { PodDisruptionBudget } from "@kedge/machinery/kinds/policy/v1";
import type { KindDefinition } from "../kind-definition.ts";
import { dropStatus, keepStatus, statusPart } from "../status.ts";
import { podDisruptionBudgetPrinter } from "./printer.ts";
import { validateBudget, validateBudgetStatus } from "./validation.ts";

/** PodDisruptionBudgets. What they forbid: `pods/eviction`. */
export function budgetDefinition(): KindDefinition {
  return {
    kind: PodDisruptionBudget,
    printer: podDisruptionBudgetPrinter,
    strategy: {
      prepareForCreate: dropStatus,
      prepareForUpdate: keepStatus,
      validate: validateBudget,
      unconditionalUpdate: false,
    },
    subresources: { status: statusPart({ validateUpdate: validateBudgetStatus }) },
  };
}
