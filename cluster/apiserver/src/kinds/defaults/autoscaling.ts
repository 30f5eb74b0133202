import type { HorizontalPodAutoscaler as First } from "@kedge/machinery/kinds/autoscaling/v1";
import type { HorizontalPodAutoscaler, HPAScalingRules } from "@kedge/machinery/kinds/autoscaling/v2";
import type { Decoded } from "../../registry/decoded.ts";
import type { Defaulter } from "../normalize/normalize.ts";

/** Defaults of the group autoscaling. */
export const autoscalingDefaults: readonly (readonly [string, Defaulter])[] = [
  ["io.k8s.api.autoscaling.v1.HorizontalPodAutoscaler", setFirst],
  ["io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler", setAutoscaler],
];

/** Its metrics are filled in when it is brought into the stored form. */
function setFirst(autoscaler: Decoded<First>): void {
  const spec = (autoscaler.spec ??= {});
  spec.minReplicas ??= 1;
}

function setAutoscaler(autoscaler: Decoded<HorizontalPodAutoscaler>): void {
  const spec = (autoscaler.spec ??= {});
  spec.minReplicas ??= 1;
  if ((spec.metrics ?? []).length === 0) {
    const target = { type: "Utilization", averageUtilization: 80 };
    spec.metrics = [{ type: "Resource", resource: { name: "cpu", target } }];
  }
  // Frozen is a part of a stored one, which got them when it was written.
  if (spec.behavior === undefined || Object.isFrozen(spec.behavior)) return;
  spec.behavior.scaleUp = { ...scaleUp(), ...spec.behavior.scaleUp };
  spec.behavior.scaleDown = { ...scaleDown(), ...spec.behavior.scaleDown };
}

function scaleUp(): Decoded<HPAScalingRules> {
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
function scaleDown(): Decoded<HPAScalingRules> {
  return { selectPolicy: "Max", policies: [{ type: "Percent", value: 100, periodSeconds: 15 }] };
}
