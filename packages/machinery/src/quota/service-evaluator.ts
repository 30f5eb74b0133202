import { quantityOf } from "../values/quantity.ts";
import type { Evaluator } from "./types.ts";

interface CountedService {
  readonly spec?:
    | {
        readonly type?: string | undefined;
        readonly ports?: readonly { readonly nodePort?: number | undefined }[] | undefined;
        readonly allocateLoadBalancerNodePorts?: boolean | undefined;
      }
    | undefined;
}

const counted = new Set(["count/services", "services", "services.nodeports", "services.loadbalancers"]);

/** Counts services, their node ports and load balancers. */
export const serviceEvaluator: Evaluator = {
  matching: (names) => names.filter((name) => counted.has(name)),
  usage: (service: CountedService) =>
    new Map([
      ["count/services", quantityOf(1)],
      ["services", quantityOf(1)],
      ["services.nodeports", quantityOf(nodePorts(service))],
      ["services.loadbalancers", quantityOf(service.spec?.type === "LoadBalancer" ? 1 : 0)],
    ]),
  isInScope: () => false,
  constraint: () => undefined,
  updates: true,
};

/** Those that it is to have: it may not have got them yet. */
function nodePorts({ spec }: CountedService): number {
  const ports = spec?.ports ?? [];
  if (spec?.type === "NodePort") return ports.length;
  if (spec?.type !== "LoadBalancer") return 0;
  if (spec.allocateLoadBalancerNodePorts !== false) return ports.length;
  return ports.filter(({ nodePort = 0 }) => nodePort !== 0).length;
}
