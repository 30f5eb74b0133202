import * as z from "zod";
import { coreType } from "@kedge/schema";

/** The exporter that is run when the spec names none. */
export const defaultExporterImage = "oliver006/redis_exporter:v1.45.0";

/** `spec.metrics` */
export const metrics = z.object({
  enabled: z
    .boolean()
    .describe("Run an exporter for each server, with a ServiceMonitor, alerts and a dashboard for it."),
  image: z.string().min(1).default(defaultExporterImage).describe("The image of the exporter."),
  resources: coreType("ResourceRequirements").optional().describe("CPU and memory of each exporter."),
  labels: z
    .record(z.string(), z.string())
    .optional()
    .describe(
      "More labels of ServiceMonitor, PrometheusRule and dashboard: by these they are often selected.",
    ),
});

/** What the spec says of metrics. */
export type MetricsSpec = z.infer<typeof metrics>;
