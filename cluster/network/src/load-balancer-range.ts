import { addressAt, parseRange } from "./address.ts";

/**
 * The addresses of a cluster's load balancers: of the pods' range the 256 before those of the machine itself. They belong
 * to the cluster as that range does, so nobody else on this machine has them. No node gets them for its pods.
 */
export function loadBalancerRange(podRange: string): string {
  const range = parseRange(podRange);
  return `${addressAt(range, Math.max(0, range.size - 512))}/24`;
}
