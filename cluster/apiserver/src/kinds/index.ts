export { bootstrapObjects } from "./bootstrap-objects.ts";
export { builtinResources, type BuiltinOptions } from "./builtin-resources.ts";
export { metricsResources } from "./metrics/metrics.ts";
