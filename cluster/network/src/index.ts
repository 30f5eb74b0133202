export { addressAt, parseRange } from "./address.ts";
export { createCommands, type NetworkCommands } from "./commands.ts";
export { clusterNames } from "./dns/cluster-names.ts";
export { startDnsServer } from "./dns/dns-server.ts";
export { freeRanges, takenBy, type ClusterRanges } from "./free-ranges.ts";
export { NetworkError } from "./network-error.ts";
export { createPodNetwork } from "./pod-network.ts";
export { createServiceProxy } from "./proxy/service-proxy.ts";
export type { ClusterNetwork, PodNetwork } from "./types.ts";
