import {
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldPath,
  fieldRequired,
  parseQuantity,
  quantitySign,
  validatePathSegmentName,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import { HorizontalPodAutoscaler } from "@kedge/machinery/kinds/autoscaling/v2";
import type {
  CrossVersionObjectReference,
  HorizontalPodAutoscalerSpec,
  MetricSpec,
  MetricTarget,
  ResourceMetricSource,
} from "@kedge/machinery/kinds/autoscaling/v2";
import type { StoredApiObject } from "../../registry/types.ts";
import { sentAs, type Sent } from "../sent.ts";
import { named } from "./field-rules.ts";
import { validateScalingRules } from "./scaling-rules.ts";

/** What is wrong with an autoscaler by itself. */
export function validateAutoscaler(object: StoredApiObject): FieldError[] {
  const spec = sentAs(HorizontalPodAutoscaler, object).spec ?? {};
  const path = fieldPath("spec");
  return [
    ...replicaErrors(spec, path),
    ...targetErrors(spec.scaleTargetRef ?? {}, path.child("scaleTargetRef")),
    ...(spec.metrics ?? []).flatMap((metric, i) => metricErrors(metric, path.child("metrics").index(i))),
    ...zeroErrors(spec, path.child("metrics")),
    ...validateScalingRules(spec.behavior?.scaleUp, path.child("behavior", "scaleUp")),
    ...validateScalingRules(spec.behavior?.scaleDown, path.child("behavior", "scaleDown")),
  ];
}

function replicaErrors(
  { minReplicas, maxReplicas = 0 }: Sent<HorizontalPodAutoscalerSpec>,
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

function targetErrors(
  { kind = "", name = "", apiVersion = "" }: Sent<CrossVersionObjectReference>,
  path: FieldPath,
): FieldError[] {
  return [
    ...(kind === ""
      ? [fieldRequired(path.child("kind"))]
      : named(kind, validatePathSegmentName, path.child("kind"))),
    ...(name === ""
      ? [fieldRequired(path.child("name"))]
      : named(name, validatePathSegmentName, path.child("name"))),
    ...versionErrors(kind, apiVersion, path.child("apiVersion")),
  ];
}

/** The amount of what pods use is no reason to start the first. */
function zeroErrors(
  { minReplicas, metrics = [] }: Sent<HorizontalPodAutoscalerSpec>,
  path: FieldPath,
): FieldError[] {
  if (minReplicas !== 0 || metrics.some(({ type }) => type === "Object" || type === "External")) return [];
  const why = "must specify at least one Object or External metric to support scaling to zero replicas";
  return [fieldForbidden(path, why)];
}

/** A ReplicationController is the one target of the core group. */
function versionErrors(kind: string, apiVersion: string, path: FieldPath): FieldError[] {
  const parts = apiVersion.split("/");
  if (parts.length > 2)
    return [fieldInvalid(path, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
  if (kind === "ReplicationController" || parts.length === 2) return [];
  return [fieldInvalid(path, apiVersion, "apiVersion must specify API group")];
}

const sources = new Map<string, keyof MetricSpec>([
  ["ContainerResource", "containerResource"],
  ["External", "external"],
  ["Object", "object"],
  ["Pods", "pods"],
  ["Resource", "resource"],
]);

function metricErrors(metric: Sent<MetricSpec>, path: FieldPath): FieldError[] {
  const { type = "", resource } = metric;
  const expected = sources.get(type);
  const given = [...sources.values()].filter((each) => metric[each] !== undefined);
  const unknown = fieldNotSupported(path.child("type"), type, [...sources.keys()]);
  return [
    ...(type === "" ? [fieldRequired(path.child("type"), "must specify a metric source type")] : []),
    ...(expected === undefined ? [unknown] : []),
    ...(resource === undefined || given[0] !== "resource"
      ? []
      : resourceErrors(resource, path.child("resource"))),
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

function resourceErrors(
  { name = "", target = {} }: Sent<ResourceMetricSource>,
  path: FieldPath,
): FieldError[] {
  const { averageUtilization, averageValue } = target;
  const targetPath = path.child("target");
  return [
    ...(name === "" ? [fieldRequired(path.child("name"), "must specify a resource name")] : []),
    ...metricTargetErrors(target, targetPath),
    ...(averageUtilization === undefined && averageValue === undefined
      ? [
          fieldRequired(
            targetPath.child("averageUtilization"),
            "must set either a target raw value or a target utilization",
          ),
        ]
      : []),
    ...(averageUtilization !== undefined && averageValue !== undefined
      ? [
          fieldForbidden(
            targetPath.child("averageValue"),
            "may not set both a target raw value and a target utilization",
          ),
        ]
      : []),
  ];
}

function metricTargetErrors(target: Sent<MetricTarget>, path: FieldPath): FieldError[] {
  const { type = "", averageUtilization } = target;
  return [
    ...(type === "" ? [fieldRequired(path.child("type"), "must specify a metric target type")] : []),
    ...(["Utilization", "Value", "AverageValue"].includes(type)
      ? []
      : [fieldInvalid(path.child("type"), type, "must be either Utilization, Value, or AverageValue")]),
    ...(["value", "averageValue"] as const).flatMap((field) => {
      const amount = target[field];
      if (amount === undefined || quantitySign(parseQuantity(amount)) > 0) return [];
      return [fieldInvalid(path.child(field), amount, "must be positive")];
    }),
    ...(averageUtilization !== undefined && averageUtilization < 1
      ? [fieldInvalid(path.child("averageUtilization"), averageUtilization, "must be greater than 0")]
      : []),
  ];
}
