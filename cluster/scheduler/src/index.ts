export { schedulerController, type SchedulerOptions } from "./scheduler.ts";
export { defaultProfile, defaultWeights } from "./profile.ts";
export type { Profile, ResourceStrategy, ResourceWeight, ScoreName, ShapePoint } from "./profile.ts";
export { readConfiguration } from "./configuration/read-configuration.ts";
