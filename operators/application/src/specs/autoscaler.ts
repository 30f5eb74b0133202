import type { ApplyObject } from "@kedge/client";
import type { DeepReadonly } from "@kedge/machinery";
import type { HorizontalPodAutoscaler, MetricSpec } from "@kedge/machinery/kinds/autoscaling/v2";
import type { Application } from "../kind.ts";
import { labelsOf } from "../names.ts";

/** The HorizontalPodAutoscaler; undefined when the application does not scale by itself. */
export function autoscalerOf({
  metadata,
  spec,
}: Pick<DeepReadonly<Application>, "metadata" | "spec">): ApplyObject<HorizontalPodAutoscaler> | undefined {
  const { scaling } = spec;
  if (scaling === undefined) return undefined;
  const { namespace, name } = metadata;
  const metrics = [
    ...metricOf("cpu", scaling.targetCPUUtilizationPercentage),
    ...metricOf("memory", scaling.targetMemoryUtilizationPercentage),
  ];
  return {
    metadata: { namespace, name, labels: labelsOf(name) },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
      minReplicas: scaling.minReplicas,
      maxReplicas: scaling.maxReplicas,
      // Without any, the server's default: 80 % of the CPU that is requested.
      ...(metrics.length > 0 && { metrics }),
    },
  };
}

function metricOf(name: "cpu" | "memory", percentage: number | undefined): readonly MetricSpec[] {
  if (percentage === undefined) return [];
  const target = { type: "Utilization", averageUtilization: percentage };
  return [{ type: "Resource", resource: { name, target } }];
}
