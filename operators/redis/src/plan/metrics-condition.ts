import type { ConditionStatement } from "@kedge/runtime";
import { exporterLabelsOf } from "../names.ts";
import type { Observed } from "../observe.ts";

/** The type of the condition. */
export const metricsReady = "MetricsReady";

/** Whether each server has an exporter that is ready. Nothing is said where none are asked for; no server waits for them. */
export function metricsConditions({
  instance,
  exporters,
}: Pick<Observed, "instance" | "exporters">): readonly ConditionStatement[] {
  const { metadata, spec } = instance;
  if (spec.metrics?.enabled !== true) return [];
  if (exporters === undefined) return says("False", "NotMade", "The exporters are not made yet.");
  const wanted = exporters.spec?.replicas ?? 1;
  if (wanted === 0) return says("False", "NoServers", "There are no servers to tell of.");
  const { observedGeneration = 0, readyReplicas = 0, updatedReplicas = 0 } = exporters.status ?? {};
  const isCurrent = observedGeneration >= (exporters.metadata.generation ?? 0);
  const ready = isCurrent ? Math.min(readyReplicas, updatedReplicas) : 0;
  const count = `${ready} of ${wanted} exporters ${wanted === 1 ? "is" : "are"} ready`;
  if (ready >= wanted) return says("True", "AllExportersReady", `${count}.`);
  const labels = Object.entries(exporterLabelsOf(metadata.name)).map((label) => label.join("="));
  return says(
    "False",
    "ExportersNotReady",
    `${count}; servers do not wait for them. To see why: kubectl describe pods -n ${metadata.namespace} -l ${labels.join(",")}`,
  );
}

function says(status: "True" | "False", reason: string, message: string): readonly ConditionStatement[] {
  return [{ type: metricsReady, status, reason, message }];
}
