import { ResourceQuota } from "@kedge/machinery/kinds/core/v1";
import type { KindDefinition } from "../kind-definition.ts";
import { statusPart } from "../status.ts";
import { resourceQuotaPrinter } from "./printer.ts";
import {
  validateResourceQuota,
  validateResourceQuotaStatus,
  validateResourceQuotaUpdate,
} from "./validation.ts";

/** ResourceQuotas. What they refuse: `admission/resource-quota/`. Who counts: the controllers. */
export function resourceQuotaDefinition(): KindDefinition {
  return {
    kind: ResourceQuota,
    printer: resourceQuotaPrinter,
    strategy: {
      validate: validateResourceQuota,
      validateUpdate: validateResourceQuotaUpdate,
      generation: "none",
      deleteAnswersObject: true,
    },
    subresources: { status: statusPart({ validateUpdate: validateResourceQuotaStatus }) },
  };
}
