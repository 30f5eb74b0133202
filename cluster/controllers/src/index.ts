export { addControllers, type ControllersOptions } from "./add-controllers.ts";
export type { HorizontalPodAutoscalerOptions } from "./horizontal-pod-autoscaler/options.ts";
export type { NodeLifecycleOptions } from "./node-lifecycle/options.ts";
export type { PodGcOptions } from "./pod-gc/plan.ts";
