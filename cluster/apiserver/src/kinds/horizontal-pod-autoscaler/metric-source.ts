import {
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
  parseQuantity,
  quantitySign,
  validateDns1123Label,
  validatePathSegmentName,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import type {
  ContainerResourceMetricSource,
  ExternalMetricSource,
  MetricIdentifier,
  MetricSpec,
  MetricTarget,
  ObjectMetricSource,
  PodsMetricSource,
  ResourceMetricSource,
} from "@kedge/machinery/kinds/autoscaling/v2";
import type { Decoded } from "../../registry/decoded.ts";
import { named } from "../validation/field-rules.ts";
import { validateTargetReference } from "./target-reference.ts";

/** What is wrong with the first source that a metric has, in the order in which Kubernetes looks. */
export function validateMetricSource(metric: Decoded<MetricSpec>, path: FieldPath): FieldError[] {
  const { object, external, pods, resource, containerResource } = metric;
  if (object !== undefined) return objectErrors(object, path.child("object"));
  if (external !== undefined) return externalErrors(external, path.child("external"));
  if (pods !== undefined) return podsErrors(pods, path.child("pods"));
  if (resource !== undefined) return resourceErrors(resource, path.child("resource"));
  if (containerResource !== undefined)
    return containerErrors(containerResource, path.child("containerResource"));
  return [];
}

function objectErrors(
  { describedObject = {}, metric = {}, target = {} }: Decoded<ObjectMetricSource>,
  path: FieldPath,
): FieldError[] {
  return [
    ...validateTargetReference(describedObject, path.child("describedObject"), { anyGroup: true }),
    ...identifierErrors(metric, path.child("metric")),
    ...targetErrors(target, path.child("target")),
    ...(target.value === undefined && target.averageValue === undefined
      ? [
          fieldRequired(
            path.child("target", "averageValue"),
            "must set either a target value or averageValue",
          ),
        ]
      : []),
  ];
}

function externalErrors(
  { metric = {}, target = {} }: Decoded<ExternalMetricSource>,
  path: FieldPath,
): FieldError[] {
  const { value, averageValue } = target;
  return [
    ...identifierErrors(metric, path.child("metric")),
    ...targetErrors(target, path.child("target")),
    ...(value === undefined && averageValue === undefined
      ? [
          fieldRequired(
            path.child("target", "averageValue"),
            "must set either a target value for metric or a per-pod target",
          ),
        ]
      : []),
    ...(value !== undefined && averageValue !== undefined
      ? [
          fieldForbidden(
            path.child("target", "value"),
            "may not set both a target value for metric and a per-pod target",
          ),
        ]
      : []),
  ];
}

function podsErrors({ metric = {}, target = {} }: Decoded<PodsMetricSource>, path: FieldPath): FieldError[] {
  return [
    ...identifierErrors(metric, path.child("metric")),
    ...targetErrors(target, path.child("target")),
    ...(target.averageValue === undefined
      ? [fieldRequired(path.child("target", "averageValue"), "must specify a positive target averageValue")]
      : []),
  ];
}

function containerErrors(
  { container = "", ...resource }: Decoded<ContainerResourceMetricSource>,
  path: FieldPath,
): FieldError[] {
  const at = path.child("container");
  return [
    ...resourceNameErrors(resource, path),
    ...(container === ""
      ? [fieldRequired(at, "must specify a container")]
      : named(container, validateDns1123Label, at)),
    ...usageErrors(resource, path.child("target")),
  ];
}

function resourceErrors(resource: Decoded<ResourceMetricSource>, path: FieldPath): FieldError[] {
  return [...resourceNameErrors(resource, path), ...usageErrors(resource, path.child("target"))];
}

function resourceNameErrors({ name = "" }: Decoded<ResourceMetricSource>, path: FieldPath): FieldError[] {
  return name === "" ? [fieldRequired(path.child("name"), "must specify a resource name")] : [];
}

function usageErrors({ target = {} }: Decoded<ResourceMetricSource>, path: FieldPath): FieldError[] {
  const { averageUtilization, averageValue } = target;
  return [
    ...targetErrors(target, path),
    ...(averageUtilization === undefined && averageValue === undefined
      ? [
          fieldRequired(
            path.child("averageUtilization"),
            "must set either a target raw value or a target utilization",
          ),
        ]
      : []),
    ...(averageUtilization !== undefined && averageValue !== undefined
      ? [
          fieldForbidden(
            path.child("averageValue"),
            "may not set both a target raw value and a target utilization",
          ),
        ]
      : []),
  ];
}

function identifierErrors({ name = "" }: Decoded<MetricIdentifier>, path: FieldPath): FieldError[] {
  const at = path.child("name");
  return name === ""
    ? [fieldRequired(at, "must specify a metric name")]
    : named(name, validatePathSegmentName, at);
}

function targetErrors(target: Decoded<MetricTarget>, path: FieldPath): FieldError[] {
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
