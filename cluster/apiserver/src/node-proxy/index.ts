export { podConnects } from "./pod-connects.ts";
export type { NodeProxyOptions, PodConnects } from "./types.ts";
