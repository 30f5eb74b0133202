import { HorizontalPodAutoscaler as FirstAutoscaler } from "@kedge/machinery/kinds/autoscaling/v1";
import {
  HorizontalPodAutoscaler,
  type MetricSpec,
  type MetricStatus,
  type MetricTarget,
  type MetricValueStatus,
} from "@kedge/machinery/kinds/autoscaling/v2";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";
import type { TableDefinition } from "../../registry/table-definition.ts";
import { age } from "../../tables/age.ts";
import { ageColumn, column, nameColumn } from "../../tables/columns.ts";
import type { Printer } from "../../tables/printer.ts";
import { shortList } from "../../tables/text-cells.ts";

/** `kubectl get horizontalpodautoscalers`, in either version. */
export const horizontalPodAutoscalerPrinter: Printer = {
  key: "autoscaling/HorizontalPodAutoscaler",
  table: {
    columns: [
      nameColumn,
      column("Reference", "What is scaled."),
      column("Targets", "Measured and wanted values."),
      column("MinPods", "As many pods as there are at least."),
      column("MaxPods", "As many pods as there are at most."),
      column("Replicas", "How many pods there are now."),
      ageColumn,
    ],
    cells: (object, now) => {
      const { metadata, spec, status } = decodedAs(HorizontalPodAutoscaler, object);
      return [
        metadata?.name,
        `${spec?.scaleTargetRef?.kind ?? ""}/${spec?.scaleTargetRef?.name ?? ""}`,
        object.apiVersion === "autoscaling/v1" ? firstTargets(object) : targets(spec, status),
        spec?.minReplicas === undefined ? "<unset>" : String(spec.minReplicas),
        spec?.maxReplicas ?? 0,
        status?.currentReplicas ?? 0,
        age(metadata?.creationTimestamp, now),
      ];
    },
  },
};

/** Version v1 knows one metric only: the use of the CPU. */
function firstTargets(object: Parameters<TableDefinition["cells"]>[0]): string {
  const { spec, status } = decodedAs(FirstAutoscaler, object);
  if (spec?.targetCPUUtilizationPercentage === undefined) return "<none>";
  const current = percent(status?.currentCPUUtilizationPercentage, "<unknown>");
  return `cpu: ${current}/${spec.targetCPUUtilizationPercentage}%`;
}

function targets(
  spec: Decoded<HorizontalPodAutoscaler>["spec"],
  status: Decoded<HorizontalPodAutoscaler>["status"],
): string {
  const cells = (spec?.metrics ?? []).map((metric, index) =>
    metricCell(metric, status?.currentMetrics?.[index]),
  );
  return shortList(cells, { most: 2, none: "<none>", separator: ", " });
}

function metricCell(metric: Decoded<MetricSpec>, status: Decoded<MetricStatus> | undefined): string {
  switch (metric.type) {
    case "External":
      return valueCell(metric.external?.target, status?.external?.current);
    case "Object":
      return valueCell(metric.object?.target, status?.object?.current);
    case "Pods":
      return `${status?.pods?.current?.averageValue ?? "<unknown>"}/${metric.pods?.target?.averageValue ?? "0"}`;
    case "Resource":
      return `${metric.resource?.name ?? ""}: ${useCell(metric.resource?.target, status?.resource?.current)}`;
    case "ContainerResource": {
      const use = useCell(metric.containerResource?.target, status?.containerResource?.current);
      return `${metric.containerResource?.name ?? ""}: ${use}`;
    }
    default:
      return "<unknown type>";
  }
}

function valueCell(
  target: Decoded<MetricTarget> | undefined,
  current: Decoded<MetricValueStatus> | undefined,
): string {
  return target?.averageValue === undefined
    ? `${current?.value ?? "<unknown>"}/${target?.value ?? "0"}`
    : `${current?.averageValue ?? "<unknown>"}/${target.averageValue} (avg)`;
}

function useCell(
  target: Decoded<MetricTarget> | undefined,
  current: Decoded<MetricValueStatus> | undefined,
): string {
  return target?.averageValue === undefined
    ? `${percent(current?.averageUtilization, "<unknown>")}/${percent(target?.averageUtilization, "<auto>")}`
    : `${current?.averageValue ?? "<unknown>"}/${target.averageValue}`;
}

function percent(value: number | undefined, none: string): string {
  return value === undefined ? none : `${value}%`;
}
