export { addControllers, type ControllersOptions } from "./add-controllers.ts";
export type { NodeLifecycleOptions } from "./node-lifecycle/options.ts";
export type { PodGcOptions } from "./pod-gc/plan.ts";
