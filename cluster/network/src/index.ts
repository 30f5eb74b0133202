export { addressAt, overlap, parseRange } from "./address.ts";
export { createCommands, type NetworkCommands } from "./commands.ts";
export { clusterNames } from "./dns/cluster-names.ts";
export { startDnsServer } from "./dns/dns-server.ts";
export { machine } from "./faults/fault-rules.ts";
export { createNetworkFaults, type NetworkFaults } from "./faults/network-faults.ts";
export { freeRanges, takenBy, type ClusterRanges } from "./free-ranges.ts";
export { gatewayOf } from "./gateway.ts";
export { loadBalancerRange } from "./load-balancer-range.ts";
export {
  createMachineNetwork,
  machineCIDR,
  machineNetworkId,
  nodeNamespacePath,
  nodeUplink,
  type MachineNetwork,
} from "./machine-network.ts";
export { networkNames } from "./names.ts";
export { NetworkError } from "./network-error.ts";
export { createPodNetwork } from "./pod-network.ts";
export { createNetworkPolicies, type NetworkPolicies } from "./policy/network-policies.ts";
export { createServiceProxy } from "./proxy/service-proxy.ts";
export type { ClusterNetwork, HostPort, PodNetwork } from "./types.ts";
