import { isJsonObject } from "@kedge/machinery";
import type { Service, ServicePort, ServiceSpec } from "@kedge/machinery/kinds/core/v1";
import type { Decoded } from "../../registry/decoded.ts";
import type { Defaulter } from "../normalize/normalize.ts";

/** Defaults of services. */
export const serviceDefaults: readonly (readonly [string, Defaulter])[] = [
  ["io.k8s.api.core.v1.Service", setService],
];

function setService(service: Decoded<Service>): void {
  const spec = (service.spec ??= {});
  setAffinity(spec);
  spec.type ??= "ClusterIP";
  // An item may be null until the list itself is normalized.
  for (const port of spec.ports ?? []) if (isJsonObject(port)) setPort(port);
  if (isExternallyAccessible(spec)) spec.externalTrafficPolicy ??= "Cluster";
  if (internalTypes.has(spec.type)) spec.internalTrafficPolicy ??= "Cluster";
  if (spec.type !== "LoadBalancer") return;
  spec.allocateLoadBalancerNodePorts ??= true;
  for (const ingress of service.status?.loadBalancer?.ingress ?? [])
    if (ingress.ip !== undefined) ingress.ipMode ??= "VIP";
}

/** Whether a service can be reached from outside the cluster. */
export function isExternallyAccessible(spec: Decoded<ServiceSpec>): boolean {
  if (spec.type === "NodePort" || spec.type === "LoadBalancer") return true;
  return spec.type === "ClusterIP" && (spec.externalIPs ?? []).length > 0;
}

const internalTypes: ReadonlySet<string> = new Set(["ClusterIP", "NodePort", "LoadBalancer"]);

function setAffinity(spec: Decoded<ServiceSpec>): void {
  spec.sessionAffinity ??= "None";
  if (spec.sessionAffinity === "None") delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity !== "ClientIP") return;
  if (spec.sessionAffinityConfig?.clientIP?.timeoutSeconds !== undefined) return;
  spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: 3 * 60 * 60 } };
}

function setPort(port: Decoded<ServicePort>): void {
  port.protocol ??= "TCP";
  if (port.targetPort === undefined || port.targetPort === 0 || port.targetPort === "")
    port.targetPort = port.port ?? 0;
}
