export { addressAt, parseRange, type AddressRange } from "./address.ts";
export { createCommands, type NetworkCommands, type NetworkPrograms } from "./commands.ts";
export { clusterNames, type ClusterNames } from "./dns/cluster-names.ts";
export { startDnsServer, type DnsServer, type DnsServerOptions } from "./dns/dns-server.ts";
export { freeRanges, type ClusterRanges } from "./free-ranges.ts";
export { NetworkError } from "./network-error.ts";
export { createPodNetwork, type PodNetworkOptions } from "./pod-network.ts";
export { createServiceProxy, type ServiceProxy, type ServiceProxyOptions } from "./proxy/service-proxy.ts";
export type { ClusterNetwork, PodAddress, PodNetwork } from "./types.ts";
