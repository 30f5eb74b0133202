import type { HorizontalPodAutoscaler as First } from "@kedge/machinery/kinds/autoscaling/v1";
import type { HorizontalPodAutoscaler } from "@kedge/machinery/kinds/autoscaling/v2";
import type { Decoded } from "../../registry/decoded.ts";
import { completeBehavior } from "../horizontal-pod-autoscaler/complete-behavior.ts";
import { otherMetrics, usualCpuUse } from "../horizontal-pod-autoscaler/convert-v1.ts";
import type { Defaulter } from "../normalize/normalize.ts";

/** Defaults of the group autoscaling. */
export const autoscalingDefaults: readonly (readonly [string, Defaulter])[] = [
  ["io.k8s.api.autoscaling.v1.HorizontalPodAutoscaler", setFirst],
  ["io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler", setAutoscaler],
];

/** The other metrics of this version are in an annotation. */
function setFirst(autoscaler: Decoded<First>): void {
  const { metadata } = autoscaler;
  const spec = (autoscaler.spec ??= {});
  spec.minReplicas ??= 1;
  if (otherMetrics(metadata?.annotations).length === 0) spec.targetCPUUtilizationPercentage ??= usualCpuUse;
}

function setAutoscaler(autoscaler: Decoded<HorizontalPodAutoscaler>): void {
  const spec = (autoscaler.spec ??= {});
  spec.minReplicas ??= 1;
  if ((spec.metrics ?? []).length === 0) {
    const target = { type: "Utilization", averageUtilization: usualCpuUse };
    spec.metrics = [{ type: "Resource", resource: { name: "cpu", target } }];
  }
  // Frozen is a part of a stored one, which got them when it was written.
  if (spec.behavior === undefined || Object.isFrozen(spec.behavior)) return;
  Object.assign(spec.behavior, completeBehavior(spec.behavior));
}
