export { expositionText, expositionType, type MetricFamily } from "./exposition.ts";
export { objectMetrics } from "./object-metrics.ts";
export { processMetrics } from "./process-metrics.ts";
export { RequestMetrics, type RequestLabels } from "./request-metrics.ts";
