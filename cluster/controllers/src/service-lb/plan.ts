import { deepEqual, type DeepReadonly } from "@kedge/machinery";
import type { LoadBalancerIngress, Service } from "@kedge/machinery/kinds/core/v1";
import type { AddressPool } from "./addresses.ts";

/** Keeps a service until its load balancer was given up. */
export const cleanupFinalizer = "service.kubernetes.io/load-balancer-cleanup";

/** What to do for the load balancer of a service. */
export type BalancerStep =
  | { readonly type: "nothing" }
  | {
      readonly type: "ensure";
      readonly address: string;
      readonly addFinalizer: boolean;
      readonly ingress: readonly LoadBalancerIngress[];
    }
  /** It cannot have the address that it asks for, or any. */
  | { readonly type: "refuse"; readonly reason: string }
  | { readonly type: "delete" };

/** Which addresses there are, and who has which. */
export interface Addresses {
  readonly pool: AddressPool;
  /** Whether a service other than this one has it. */
  readonly isTaken: (address: string) => boolean;
}

/** What a service's load balancer needs next. One of another class is its controller's. */
export function planBalancer(service: DeepReadonly<Service>, addresses: Addresses): BalancerStep {
  const { metadata, spec, status } = service;
  const isOurs = (metadata.finalizers ?? []).includes(cleanupFinalizer);
  const isBalancer = spec?.type === "LoadBalancer";
  if (metadata.deletionTimestamp !== undefined || !isBalancer)
    return isOurs ? { type: "delete" } : { type: "nothing" };
  if (spec.loadBalancerClass !== undefined) return { type: "nothing" };
  const now = status?.loadBalancer?.ingress ?? [];
  const found = addressOf(service, addresses);
  if ("reason" in found) return { type: "refuse", reason: found.reason };
  const ingress = [{ ip: found.address, ipMode: "VIP" }];
  if (isOurs && deepEqual(now, ingress)) return { type: "nothing" };
  return { type: "ensure", address: found.address, addFinalizer: !isOurs, ingress };
}

/** The addresses that a service holds. */
export function heldBy({ status }: DeepReadonly<Service>): readonly string[] {
  return (status?.loadBalancer?.ingress ?? []).flatMap(({ ip }) => (ip === undefined ? [] : [ip]));
}

/** The one that it asks for, else the one that it has, else any. */
function addressOf(
  service: DeepReadonly<Service>,
  { pool, isTaken }: Addresses,
): { readonly address: string } | { readonly reason: string } {
  const asked = service.spec?.loadBalancerIP ?? "";
  if (asked !== "") {
    const field = `spec.loadBalancerIP ${asked}`;
    if (!pool.has(asked))
      return { reason: `${field}: must be in ${pool.text}; leave it out for any address` };
    if (isTaken(asked)) return { reason: `${field}: another service has it; leave it out for any address` };
    return { address: asked };
  }
  const kept = heldBy(service).find((address) => pool.has(address) && !isTaken(address));
  const address = kept ?? pool.next(isTaken);
  if (address !== undefined) return { address };
  return { reason: `all addresses of ${pool.text} are taken: delete a service of type LoadBalancer` };
}
