import type {
  MetricIdentifier,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
} from "@kedge/machinery/kinds/autoscaling/v2";
import type { Decoded } from "../../registry/decoded.ts";

/** A metric as annotations of version v1 have it: flat. The order of its fields is that of Kubernetes. */
export type FlatMetric = Readonly<Record<string, unknown>>;

/** What is wanted of a metric, for an annotation. */
export function flatSpec({
  type,
  object,
  pods,
  resource,
  containerResource,
  external,
}: Decoded<MetricSpec>): FlatMetric {
  return {
    type,
    object: object && {
      target: reference(object.describedObject),
      metricName: object.metric?.name ?? "",
      targetValue: object.target?.value ?? "0",
      selector: object.metric?.selector,
      averageValue: object.target?.averageValue,
    },
    pods: pods && {
      metricName: pods.metric?.name ?? "",
      targetAverageValue: pods.target?.averageValue ?? "0",
      selector: pods.metric?.selector,
    },
    resource: resource && { name: resource.name, ...flatTarget(resource.target) },
    containerResource: containerResource && {
      name: containerResource.name,
      ...flatTarget(containerResource.target),
      container: containerResource.container,
    },
    external: external && {
      metricName: external.metric?.name ?? "",
      metricSelector: external.metric?.selector,
      targetValue: external.target?.value,
      targetAverageValue: external.target?.averageValue,
    },
  };
}

/** What was measured, for an annotation. */
export function flatStatus({
  type,
  object,
  pods,
  resource,
  containerResource,
  external,
}: Decoded<MetricStatus>): FlatMetric {
  return {
    type,
    object: object && {
      target: reference(object.describedObject),
      metricName: object.metric?.name ?? "",
      currentValue: object.current?.value ?? "0",
      selector: object.metric?.selector,
      averageValue: object.current?.averageValue,
    },
    pods: pods && {
      metricName: pods.metric?.name ?? "",
      currentAverageValue: pods.current?.averageValue ?? "0",
      selector: pods.metric?.selector,
    },
    resource: resource && { name: resource.name, ...flatCurrent(resource.current) },
    containerResource: containerResource && {
      name: containerResource.name,
      ...flatCurrent(containerResource.current),
      container: containerResource.container,
    },
    external: external && {
      metricName: external.metric?.name ?? "",
      metricSelector: external.metric?.selector,
      currentValue: external.current?.value ?? "0",
      currentAverageValue: external.current?.averageValue,
    },
  };
}

/** What an annotation says is wanted. */
export function specOfFlat(flat: FlatMetric): Decoded<MetricSpec> {
  const { object, pods, resource, containerResource, external } = sourcesOf(flat);
  return {
    type: text(flat["type"]),
    ...(object && {
      object: {
        describedObject: reference(fields(object["target"])),
        target: objectTarget(object),
        metric: identifier(object["metricName"], object["selector"]),
      },
    }),
    ...(pods && {
      pods: {
        target: { type: "AverageValue", averageValue: text(pods["targetAverageValue"]) },
        metric: identifier(pods["metricName"], pods["selector"]),
      },
    }),
    ...(resource && { resource: { name: text(resource["name"]), target: resourceTarget(resource) } }),
    ...(containerResource && {
      containerResource: {
        name: text(containerResource["name"]),
        container: text(containerResource["container"]),
        target: resourceTarget(containerResource),
      },
    }),
    ...(external && {
      external: {
        target: {
          type: isAbsent(external["targetValue"]) ? "AverageValue" : "Value",
          ...given("value", external["targetValue"]),
          ...given("averageValue", external["targetAverageValue"]),
        },
        metric: identifier(external["metricName"], external["metricSelector"]),
      },
    }),
  };
}

/** What an annotation says was measured. */
export function statusOfFlat(flat: FlatMetric): Decoded<MetricStatus> {
  const { object, pods, resource, containerResource, external } = sourcesOf(flat);
  return {
    type: text(flat["type"]),
    ...(object && {
      object: {
        describedObject: reference(fields(object["target"])),
        current: currentOf(object["currentValue"], object["averageValue"]),
        metric: identifier(object["metricName"], object["selector"]),
      },
    }),
    ...(pods && {
      pods: {
        current: { averageValue: text(pods["currentAverageValue"]) },
        metric: identifier(pods["metricName"], pods["selector"]),
      },
    }),
    ...(resource && { resource: { name: text(resource["name"]), current: resourceCurrent(resource) } }),
    ...(containerResource && {
      containerResource: {
        name: text(containerResource["name"]),
        container: text(containerResource["container"]),
        current: resourceCurrent(containerResource),
      },
    }),
    ...(external && {
      external: {
        current: currentOf(external["currentValue"], external["currentAverageValue"]),
        metric: identifier(external["metricName"], external["metricSelector"]),
      },
    }),
  };
}

function flatTarget(target: Decoded<MetricTarget> | undefined): FlatMetric {
  return {
    targetAverageUtilization: target?.averageUtilization,
    targetAverageValue: target?.averageValue,
  };
}

function flatCurrent(current: Decoded<MetricValueStatus> | undefined): FlatMetric {
  return {
    currentAverageUtilization: current?.averageUtilization,
    currentAverageValue: current?.averageValue ?? "0",
  };
}

function objectTarget({ targetValue, averageValue }: FlatMetric): Decoded<MetricTarget> {
  return { type: isAbsent(averageValue) ? "Value" : "AverageValue", ...currentOf(targetValue, averageValue) };
}

/** With an average, a value of zero is one that was not given: the flat form has no way to leave it out. */
function currentOf(value: unknown, averageValue: unknown): Decoded<MetricValueStatus> {
  if (isAbsent(averageValue)) return { value: text(value) };
  return { ...(text(value) !== "0" && { value: text(value) }), averageValue: text(averageValue) };
}

function resourceTarget(resource: FlatMetric): Decoded<MetricTarget> {
  const { targetAverageUtilization: utilization, targetAverageValue } = resource;
  return {
    type: isAbsent(utilization) ? "AverageValue" : "Utilization",
    ...given("averageValue", targetAverageValue),
    ...(typeof utilization === "number" && { averageUtilization: utilization }),
  };
}

function resourceCurrent(resource: FlatMetric): Decoded<MetricValueStatus> {
  const { currentAverageUtilization: utilization, currentAverageValue } = resource;
  return {
    averageValue: text(currentAverageValue),
    ...(typeof utilization === "number" && { averageUtilization: utilization }),
  };
}

interface Reference {
  readonly kind?: unknown;
  readonly name?: unknown;
  readonly apiVersion?: unknown;
}

function reference(to: Reference = {}): { kind: string; name: string; apiVersion?: string } {
  const { kind, name, apiVersion } = to;
  return {
    kind: text(kind),
    name: text(name),
    ...(text(apiVersion) !== "" && { apiVersion: text(apiVersion) }),
  };
}

function identifier(name: unknown, selector: unknown): Decoded<MetricIdentifier> {
  const found = fields(selector);
  return { name: text(name), ...(found !== undefined && { selector: found }) };
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

function given<Name extends string>(name: Name, value: unknown): Partial<Record<Name, string>> {
  if (isAbsent(value)) return {};
  const one: Partial<Record<Name, string>> = {};
  one[name] = text(value);
  return one;
}

type Source = "object" | "pods" | "resource" | "containerResource" | "external";

function sourcesOf(flat: FlatMetric): Readonly<Record<Source, FlatMetric | undefined>> {
  return {
    object: fields(flat["object"]),
    pods: fields(flat["pods"]),
    resource: fields(flat["resource"]),
    containerResource: fields(flat["containerResource"]),
    external: fields(flat["external"]),
  };
}

function fields(value: unknown): FlatMetric | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : undefined;
}

/** Quantities may come as numbers. */
function text(value: unknown): string {
  return typeof value === "string" ? value : typeof value === "number" ? String(value) : "";
}
