import {
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldPath,
  fieldRequired,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import { HorizontalPodAutoscaler } from "@kedge/machinery/kinds/autoscaling/v2";
import type { HorizontalPodAutoscalerSpec, MetricSpec } from "@kedge/machinery/kinds/autoscaling/v2";
import type { StoredApiObject } from "../../registry/types.ts";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";
import { nonNegative } from "../validation/field-rules.ts";
import { validateMetricSource } from "./metric-source.ts";
import { validateScalingRules } from "./scaling-rules.ts";
import { validateTargetReference } from "./target-reference.ts";

/** What is wrong with an autoscaler by itself. */
export function validateAutoscaler(object: StoredApiObject): FieldError[] {
  const spec = decodedAs(HorizontalPodAutoscaler, object).spec ?? {};
  const path = fieldPath("spec");
  return [
    ...replicaErrors(spec, path),
    ...validateTargetReference(spec.scaleTargetRef ?? {}, path.child("scaleTargetRef")),
    ...(spec.metrics ?? []).flatMap((metric, i) => metricErrors(metric, path.child("metrics").index(i))),
    ...zeroErrors(spec, path.child("metrics")),
    ...validateScalingRules(spec.behavior?.scaleUp, path.child("behavior", "scaleUp")),
    ...validateScalingRules(spec.behavior?.scaleDown, path.child("behavior", "scaleDown")),
  ];
}

/** What is wrong with the status of an autoscaler. */
export function validateAutoscalerStatus(object: StoredApiObject): FieldError[] {
  const status = decodedAs(HorizontalPodAutoscaler, object).status ?? {};
  return (["currentReplicas", "desiredReplicas"] as const).flatMap((field) =>
    nonNegative(status[field], fieldPath("status", field)),
  );
}

function replicaErrors(
  { minReplicas, maxReplicas = 0 }: Decoded<HorizontalPodAutoscalerSpec>,
  path: FieldPath,
): FieldError[] {
  const max = path.child("maxReplicas");
  return [
    ...(minReplicas !== undefined && minReplicas < 1
      ? [fieldInvalid(path.child("minReplicas"), minReplicas, "must be greater than or equal to 1")]
      : []),
    ...(maxReplicas === 0 ? [fieldRequired(max, "must be set and greater than 0")] : []),
    ...(maxReplicas < 0 ? [fieldInvalid(max, maxReplicas, "must be greater than or equal to 1")] : []),
    ...(minReplicas !== undefined && maxReplicas < minReplicas
      ? [fieldInvalid(max, maxReplicas, "must be greater than or equal to `minReplicas`")]
      : []),
  ];
}

/** The amount of what pods use is no reason to start the first. */
function zeroErrors(
  { minReplicas, metrics = [] }: Decoded<HorizontalPodAutoscalerSpec>,
  path: FieldPath,
): FieldError[] {
  if (minReplicas !== 0 || metrics.some(({ type }) => type === "Object" || type === "External")) return [];
  const why = "must specify at least one Object or External metric to support scaling to zero replicas";
  return [fieldForbidden(path, why)];
}

const sources = new Map<string, keyof MetricSpec>([
  ["ContainerResource", "containerResource"],
  ["External", "external"],
  ["Object", "object"],
  ["Pods", "pods"],
  ["Resource", "resource"],
]);

function metricErrors(metric: Decoded<MetricSpec>, path: FieldPath): FieldError[] {
  const { type = "" } = metric;
  const expected = sources.get(type);
  const given = [...sources.values()].filter((each) => metric[each] !== undefined);
  const unknown = fieldNotSupported(path.child("type"), type, [...sources.keys()]);
  return [
    ...(type === "" ? [fieldRequired(path.child("type"), "must specify a metric source type")] : []),
    ...(expected === undefined ? [unknown] : []),
    ...validateMetricSource(metric, path),
    ...(expected === undefined
      ? [unknown]
      : metric[expected] === undefined
        ? [fieldRequired(path.child(expected), "must populate information for the given metric source")]
        : []),
    // A single source of another type is not complained of: the expected one is missing.
    ...(given.length > 1 ? given : [])
      .filter((each) => each !== expected)
      .map((each) => fieldForbidden(path.child(each), "must populate the given metric source only")),
  ];
}
