import { HorizontalPodAutoscaler } from "@kedge/machinery/kinds/autoscaling/v2";
import { statusPart } from "../status.ts";
import { validateAutoscaler, validateAutoscalerStatus } from "./validation.ts";
import type { KindDefinition } from "../kind-definition.ts";
import { horizontalPodAutoscalerPrinter } from "./printer.ts";

/** HorizontalPodAutoscalers. */
export function autoscalerDefinition(): KindDefinition {
  return {
    kind: HorizontalPodAutoscaler,
    printer: horizontalPodAutoscalerPrinter,
    strategy: { validate: validateAutoscaler, generation: "none" },
    subresources: { status: statusPart({ validateUpdate: validateAutoscalerStatus }) },
  };
}
