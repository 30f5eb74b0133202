export { createDiscovery } from "./discovery.ts";
export type { Discovery, DiscoveryAnswer } from "./types.ts";
