import type { LoadBalancerIngress, Service, ServiceSpec } from "@kedge/machinery/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { ago, stored } from "../testing/builders.ts";
import { addressPool } from "./addresses.ts";
import { cleanupFinalizer, planBalancer, type BalancerStep } from "./plan.ts";

const pool = addressPool("10.244.254.0/29");
const vip = (ip: string): LoadBalancerIngress => ({ ip, ipMode: "VIP" });
const [first, second] = ["10.244.254.1", "10.244.254.2"];

interface Setup {
  readonly spec?: ServiceSpec;
  readonly ours?: boolean;
  readonly leaving?: boolean;
  readonly ingress?: LoadBalancerIngress[];
  readonly taken?: readonly string[];
}

function plan({ spec, ours = false, leaving = false, ingress, taken = [] }: Setup): BalancerStep {
  const service: Service = {
    apiVersion: "v1",
    kind: "Service",
    metadata: stored("web", {
      ...(ours ? { finalizers: [cleanupFinalizer] } : {}),
      ...(leaving ? { deletionTimestamp: ago(0) } : {}),
    }),
    spec: { type: "LoadBalancer", ...spec },
    status: ingress === undefined ? { loadBalancer: {} } : { loadBalancer: { ingress } },
  };
  return planBalancer(service, { pool, isTaken: (address) => taken.includes(address) });
}

describe("the load balancer of a service", () => {
  it.each<[string, Setup, object]>([
    [
      "gets the first free address, and the finalizer before",
      { taken: [first] },
      { type: "ensure", address: second, addFinalizer: true, ingress: [vip(second)] },
    ],
    ["is left alone when it has both", { ours: true, ingress: [vip(second)] }, { type: "nothing" }],
    [
      "keeps its address when another is free before it",
      { ours: false, ingress: [vip(second)] },
      { type: "ensure", address: second, addFinalizer: true },
    ],
    [
      "gets another address when its own is another's",
      { ours: true, ingress: [vip(first)], taken: [first] },
      { type: "ensure", address: second, addFinalizer: false },
    ],
    [
      "gets another address when its own is none of ours",
      { ours: true, ingress: [vip("192.0.2.1")] },
      { type: "ensure", address: first },
    ],
    [
      "gets the address that it asks for",
      { spec: { loadBalancerIP: second } },
      { type: "ensure", address: second },
    ],
    [
      "moves to the address that it asks for",
      { ours: true, ingress: [vip(first)], spec: { loadBalancerIP: second } },
      { type: "ensure", address: second },
    ],
    [
      "is refused an address that there is not",
      { spec: { loadBalancerIP: "192.0.2.1" } },
      {
        type: "refuse",
        reason: "spec.loadBalancerIP 192.0.2.1: must be in 10.244.254.0/29; leave it out for any address",
      },
    ],
    [
      "is refused an address that another has",
      { spec: { loadBalancerIP: first }, taken: [first] },
      {
        type: "refuse",
        reason: "spec.loadBalancerIP 10.244.254.1: another service has it; leave it out for any address",
      },
    ],
    [
      "is refused when there is none left",
      { taken: [1, 2, 3, 4, 5, 6].map((last) => `10.244.254.${last}`) },
      {
        type: "refuse",
        reason: "all addresses of 10.244.254.0/29 are taken: delete a service of type LoadBalancer",
      },
    ],
    ["of another class is another's", { spec: { loadBalancerClass: "example.com/x" } }, { type: "nothing" }],
    ["is deleted with the service", { ours: true, leaving: true, ingress: [vip(first)] }, { type: "delete" }],
    [
      "is deleted when the service has another type",
      { ours: true, spec: { type: "ClusterIP" }, ingress: [vip(first)] },
      { type: "delete" },
    ],
    ["is not there for a service that was never ours", { leaving: true }, { type: "nothing" }],
    ["is not there for another type", { spec: { type: "NodePort" } }, { type: "nothing" }],
  ])("%s", (_name, setup, expected) => {
    expect(plan(setup)).toMatchObject(expected);
  });
});
