import type { HorizontalPodAutoscalerBehavior, HPAScalingRules } from "@kedge/machinery/kinds/autoscaling/v2";
import type { Decoded } from "../../registry/decoded.ts";

/** A behavior with the rules that it does not give itself. */
export function completeBehavior({
  scaleUp,
  scaleDown,
}: Decoded<HorizontalPodAutoscalerBehavior>): Decoded<HorizontalPodAutoscalerBehavior> {
  return { scaleUp: { ...usualUp(), ...scaleUp }, scaleDown: { ...usualDown(), ...scaleDown } };
}

function usualUp(): Decoded<HPAScalingRules> {
  return {
    stabilizationWindowSeconds: 0,
    selectPolicy: "Max",
    policies: [
      { type: "Pods", value: 4, periodSeconds: 15 },
      { type: "Percent", value: 100, periodSeconds: 15 },
    ],
  };
}

/** Without a window: that is a flag of the controller manager. */
function usualDown(): Decoded<HPAScalingRules> {
  return { selectPolicy: "Max", policies: [{ type: "Percent", value: 100, periodSeconds: 15 }] };
}
