import type { ServicePort } from "../service-ports.ts";

/** A node's network. */
export const network = {
  id: "3fa9c1",
  podRange: "10.244.0.0/16",
  podCIDR: "10.244.0.0/24",
  serviceRange: "10.96.0.0/16",
  domain: "cluster.local",
};

/** Port 80 of a service with one endpoint, but for what is said otherwise. */
export function servicePort(more: Partial<ServicePort> = {}): ServicePort {
  return {
    name: "default/web:http",
    protocol: "tcp",
    port: 80,
    clusterAddress: "10.96.0.5",
    externalAddresses: [],
    balancerAddresses: [],
    sourceRanges: [],
    nodePort: 0,
    internalLocal: false,
    externalLocal: false,
    affinitySeconds: 0,
    endpoints: { cluster: [{ address: "10.244.0.11", port: 8080 }], local: [] },
    ...more,
  };
}
