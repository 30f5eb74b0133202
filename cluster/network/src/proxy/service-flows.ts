import type { ServiceFlows } from "../flows/forget-flows.ts";
import { loadBalancerRange } from "../load-balancer-range.ts";
import type { ClusterNetwork } from "../types.ts";
import type { ServicePort } from "./service-ports.ts";

/**
 * Where datagrams to services may go now. Those of a client that keeps its port would go on to an endpoint that is gone,
 * or to none, as long as it sends; connections end by themselves.
 */
export function serviceFlows(
  network: Pick<ClusterNetwork, "podRange" | "serviceRange">,
  before: readonly ServicePort[],
  now: readonly ServicePort[],
): ServiceFlows {
  const { podRange, serviceRange } = network;
  return {
    places: [...new Set([...before, ...now].flatMap(placesOf))],
    led: now.flatMap((port) => {
      const { cluster, local } = port.endpoints;
      const ends = new Set([...cluster, ...local].map((endpoint) => `${endpoint.address} ${endpoint.port}`));
      return placesOf(port).flatMap((place) => [...ends].map((end) => `${place} ${end}`));
    }),
    serviceRanges: [serviceRange, loadBalancerRange(podRange)],
    podRange,
  };
}

function placesOf(service: ServicePort): readonly string[] {
  if (service.protocol !== "udp") return [];
  const { clusterAddress, externalAddresses, balancerAddresses, port, nodePort } = service;
  const places = [clusterAddress, ...externalAddresses, ...balancerAddresses].map(
    (address) => `${address} ${port}`,
  );
  return nodePort > 0 ? [...places, `* ${nodePort}`] : places;
}
