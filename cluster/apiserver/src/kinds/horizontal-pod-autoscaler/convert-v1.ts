import { goJson, isJsonObject, type JsonObject } from "@kedge/machinery";
import { HorizontalPodAutoscaler as First } from "@kedge/machinery/kinds/autoscaling/v1";
import {
  HorizontalPodAutoscaler,
  type HorizontalPodAutoscalerBehavior,
  type HorizontalPodAutoscalerCondition,
  type HPAScalingPolicy,
  type HPAScalingRules,
  type MetricSpec,
} from "@kedge/machinery/kinds/autoscaling/v2";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";
import type { ApiObject } from "../../registry/types.ts";
import { completeBehavior } from "./complete-behavior.ts";
import { flatSpec, flatStatus, specOfFlat, statusOfFlat, type FlatMetric } from "./metrics-of-v1.ts";

/** Where version v1 keeps what it has no fields for: of the spec, and of the status. */
export const specAnnotations = {
  metrics: "autoscaling.alpha.kubernetes.io/metrics",
  behavior: "autoscaling.alpha.kubernetes.io/behavior",
} as const;
export const statusAnnotations = {
  metrics: "autoscaling.alpha.kubernetes.io/current-metrics",
  conditions: "autoscaling.alpha.kubernetes.io/conditions",
} as const;

/** An autoscaler of version v2, as v1 shows it; in place. */
export function toFirst(object: ApiObject): void {
  const { spec = {}, status = {} } = decodedAs(HorizontalPodAutoscaler, object);
  const metrics = spec.metrics ?? [];
  const others = metrics.filter((metric) => !isCpuUse(metric));
  const current = status.currentMetrics ?? [];
  const conditions = status.conditions ?? [];
  annotate(object, {
    [specAnnotations.metrics]: others.length === 0 ? undefined : goJson(others.map(flatSpec)),
    [specAnnotations.behavior]: spec.behavior && goJson(flatBehavior(spec.behavior)),
    [statusAnnotations.metrics]: current.length === 0 ? undefined : goJson(current.map(flatStatus)),
    [statusAnnotations.conditions]:
      conditions.length === 0 ? undefined : goJson(conditions.map(flatCondition)),
  });
  const cpu = metrics.find(isCpuUse)?.resource?.target?.averageUtilization;
  const used = current.findLast(({ type, resource }) => type === "Resource" && resource?.name === "cpu");
  const utilization = used?.resource?.current?.averageUtilization;
  object["spec"] = {
    maxReplicas: spec.maxReplicas ?? 0,
    ...(spec.minReplicas !== undefined && { minReplicas: spec.minReplicas }),
    scaleTargetRef: spec.scaleTargetRef,
    ...(cpu !== undefined && { targetCPUUtilizationPercentage: cpu }),
  };
  object["status"] = {
    ...(utilization !== undefined && { currentCPUUtilizationPercentage: utilization }),
    currentReplicas: status.currentReplicas ?? 0,
    desiredReplicas: status.desiredReplicas ?? 0,
    ...(status.lastScaleTime !== undefined && { lastScaleTime: status.lastScaleTime }),
    ...(status.observedGeneration !== undefined && { observedGeneration: status.observedGeneration }),
  };
}

/** An autoscaler of version v1 as v2, which is how it is stored; in place. */
export function fromFirst(object: ApiObject): void {
  const { spec = {}, status = {} } = decodedAs(First, object);
  const annotations = object.metadata.annotations ?? {};
  const cpu = spec.targetCPUUtilizationPercentage;
  const others = otherMetrics(annotations);
  const metrics = [...others, ...(cpu === undefined ? [] : [cpuUse(cpu)])];
  const behavior = behaviorOfFlat(objectIn(annotations[specAnnotations.behavior]));
  const current = listIn(annotations[statusAnnotations.metrics])?.map(statusOfFlat) ?? measuredCpu(status);
  const conditions = listIn(annotations[statusAnnotations.conditions]);
  annotate(object, {});
  object["spec"] = {
    scaleTargetRef: spec.scaleTargetRef,
    ...(spec.minReplicas !== undefined && { minReplicas: spec.minReplicas }),
    maxReplicas: spec.maxReplicas ?? 0,
    metrics: metrics.length === 0 ? [cpuUse(usualCpuUse)] : metrics,
    ...(behavior !== undefined && { behavior }),
  };
  object["status"] = {
    ...(status.observedGeneration !== undefined && { observedGeneration: status.observedGeneration }),
    ...(status.lastScaleTime !== undefined && { lastScaleTime: status.lastScaleTime }),
    ...((status.currentReplicas ?? 0) !== 0 && { currentReplicas: status.currentReplicas }),
    desiredReplicas: status.desiredReplicas ?? 0,
    currentMetrics: current,
    ...(conditions !== undefined && conditions.length > 0 && { conditions }),
  };
}

/** Percent of what is requested that are wanted when nobody says anything. */
export const usualCpuUse = 80;

/** What an autoscaler of version v1 wants beside the use of the CPU. */
export function otherMetrics(
  annotations: Readonly<Record<string, string | undefined>> | undefined,
): readonly Decoded<MetricSpec>[] {
  return listIn(annotations?.[specAnnotations.metrics])?.map(specOfFlat) ?? [];
}

function cpuUse(averageUtilization: number): Decoded<MetricSpec> {
  return { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization } } };
}

function isCpuUse({ type, resource }: Decoded<MetricSpec>): boolean {
  return type === "Resource" && resource?.name === "cpu" && resource.target?.averageUtilization !== undefined;
}

function measuredCpu({
  currentCPUUtilizationPercentage: use,
}: NonNullable<Decoded<First>["status"]>): unknown {
  return use === undefined
    ? null
    : [{ type: "Resource", resource: { name: "cpu", current: { averageUtilization: use } } }];
}

/** Puts these in the place of all annotations that tell of the other version. */
function annotate(object: ApiObject, told: Readonly<Record<string, string | undefined>>): void {
  const { annotations: before = {}, ...metadata } = object.metadata;
  const own = new Set<string>([...Object.values(specAnnotations), ...Object.values(statusAnnotations)]);
  const kept = Object.entries(before).filter(([name]) => !own.has(name));
  const added = Object.entries(told).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  const annotations = Object.fromEntries([...kept, ...added]);
  object.metadata = { ...metadata, ...(Object.keys(annotations).length > 0 && { annotations }) };
}

function flatCondition(condition: Decoded<HorizontalPodAutoscalerCondition>): FlatMetric {
  const { type, status, lastTransitionTime, reason, message } = condition;
  return {
    type,
    status,
    lastTransitionTime: lastTransitionTime ?? null,
    reason: reason === "" ? undefined : reason,
    message: message === "" ? undefined : message,
  };
}

/** Kubernetes writes its own internal type there, whose fields have Go's names. */
function flatBehavior({ scaleUp, scaleDown }: Decoded<HorizontalPodAutoscalerBehavior>): FlatMetric {
  return { ScaleUp: flatRules(scaleUp), ScaleDown: flatRules(scaleDown) };
}

function flatRules(rules: Decoded<HPAScalingRules> | undefined): FlatMetric | null {
  if (rules === undefined) return null;
  const { stabilizationWindowSeconds, selectPolicy, policies, tolerance } = rules;
  return {
    StabilizationWindowSeconds: stabilizationWindowSeconds ?? null,
    SelectPolicy: selectPolicy ?? null,
    Policies:
      policies?.map(({ type, value, periodSeconds }) => ({
        Type: type,
        Value: value,
        PeriodSeconds: periodSeconds,
      })) ?? null,
    Tolerance: tolerance ?? null,
  };
}

function behaviorOfFlat(flat: JsonObject | undefined): Decoded<HorizontalPodAutoscalerBehavior> | undefined {
  const [up, down] = [rulesOfFlat(fieldOf(flat, "ScaleUp")), rulesOfFlat(fieldOf(flat, "ScaleDown"))];
  if (up === undefined && down === undefined) return undefined;
  return completeBehavior({
    ...(up !== undefined && { scaleUp: up }),
    ...(down !== undefined && { scaleDown: down }),
  });
}

function rulesOfFlat(flat: unknown): Decoded<HPAScalingRules> | undefined {
  if (!isJsonObject(flat)) return undefined;
  const window = fieldOf(flat, "StabilizationWindowSeconds");
  const select = fieldOf(flat, "SelectPolicy");
  const policies = fieldOf(flat, "Policies");
  const tolerance = fieldOf(flat, "Tolerance");
  return {
    ...(typeof window === "number" && { stabilizationWindowSeconds: window }),
    ...(typeof select === "string" && { selectPolicy: select }),
    ...(Array.isArray(policies) && {
      policies: policies.filter(isJsonObject).map(policyOfFlat),
    }),
    ...(typeof tolerance === "string" && { tolerance }),
  };
}

function policyOfFlat(flat: JsonObject): Decoded<HPAScalingPolicy> {
  const type = fieldOf(flat, "Type");
  const [value, periodSeconds] = [fieldOf(flat, "Value"), fieldOf(flat, "PeriodSeconds")];
  return {
    type: typeof type === "string" ? type : "",
    value: typeof value === "number" ? value : 0,
    periodSeconds: typeof periodSeconds === "number" ? periodSeconds : 0,
  };
}

/** Go reads names in any case. */
function fieldOf(flat: JsonObject | undefined, name: string): unknown {
  return Object.entries(flat ?? {}).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];
}

/** What cannot be read counts as absent. */
function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function listIn(text: string | undefined): readonly JsonObject[] | undefined {
  const value = parsed(text);
  return Array.isArray(value) ? value.filter(isJsonObject) : undefined;
}

function objectIn(text: string | undefined): JsonObject | undefined {
  const value = parsed(text);
  return isJsonObject(value) ? value : undefined;
}
