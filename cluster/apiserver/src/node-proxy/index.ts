export { addressOf } from "./node-address.ts";
export { nodeStats, type NodeStats } from "./node-stats.ts";
export { podConnects } from "./pod-connects.ts";
export { proxyConnects } from "./proxy/proxy-connects.ts";
export type { NodeProxyOptions, PodConnects, ProxyConnects } from "./types.ts";
