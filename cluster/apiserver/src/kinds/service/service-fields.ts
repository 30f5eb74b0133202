import { deepEqual } from "@kedge/machinery";
import type { ServiceSpec } from "@kedge/machinery/kinds/core/v1";
import { isExternallyAccessible } from "../defaults/service.ts";
import type { Decoded } from "../../registry/decoded.ts";

/** Whether services of this type have an address; `None` is one too. */
export function needsAddress(spec: Decoded<ServiceSpec>): boolean {
  return spec.type !== "ExternalName";
}

/** Whether services of this type are reached by a port of each node. */
export function needsNodePorts(spec: Decoded<ServiceSpec>): boolean {
  return spec.type === "NodePort" || spec.type === "LoadBalancer";
}

/** Whether a load balancer asks nodes if they have endpoints. */
export function needsHealthCheckPort(spec: Decoded<ServiceSpec>): boolean {
  return spec.type === "LoadBalancer" && spec.externalTrafficPolicy === "Local";
}

/** Gives an update what it left out and the server had allocated, so that replacing a service keeps its address. */
export function keepAllocated(spec: Decoded<ServiceSpec>, before: Decoded<ServiceSpec>): void {
  if (needsAddress(before) && needsAddress(spec)) {
    spec.clusterIP ??= before.clusterIP;
    spec.clusterIPs ??= before.clusterIPs === undefined ? undefined : [...before.clusterIPs];
  }
  if (needsNodePorts(before) && needsNodePorts(spec)) keepNodePorts(spec, before);
  if (needsHealthCheckPort(before) && needsHealthCheckPort(spec))
    spec.healthCheckNodePort ??= before.healthCheckNodePort;
}

/** Drops what the new type has no use for, unless the writer changed it too: then validation refuses it. */
export function dropUnneeded(spec: Decoded<ServiceSpec>, before: Decoded<ServiceSpec>): void {
  if (needsAddress(before) && !needsAddress(spec)) dropAddress(spec, before);
  if (needsNodePorts(before) && !needsNodePorts(spec)) dropNodePorts(spec, before);
  if (needsHealthCheckPort(before) && !needsHealthCheckPort(spec))
    dropSame(spec, before, "healthCheckNodePort");
  if (before.type === "LoadBalancer" && spec.type !== "LoadBalancer") {
    dropSame(spec, before, "allocateLoadBalancerNodePorts");
    dropSame(spec, before, "loadBalancerClass");
  }
  if (isExternallyAccessible(before) && !isExternallyAccessible(spec))
    dropSame(spec, before, "externalTrafficPolicy");
}

function keepNodePorts(spec: Decoded<ServiceSpec>, before: Decoded<ServiceSpec>): void {
  const byName = new Map((before.ports ?? []).map((port) => [port.name ?? "", port.nodePort]));
  const known = new Set((before.ports ?? []).map((port) => port.nodePort));
  const used = new Set(
    (spec.ports ?? []).map((port) => port.nodePort).filter((port) => port !== undefined && known.has(port)),
  );
  for (const port of spec.ports ?? []) {
    const nodePort = byName.get(port.name ?? "");
    if (port.nodePort === undefined && nodePort !== undefined && !used.has(nodePort))
      port.nodePort = nodePort;
  }
}

function dropAddress(spec: Decoded<ServiceSpec>, before: Decoded<ServiceSpec>): void {
  if (spec.clusterIP === before.clusterIP && deepEqual(spec.clusterIPs, before.clusterIPs)) {
    delete spec.clusterIP;
    delete spec.clusterIPs;
  }
  dropSame(spec, before, "ipFamilies");
  dropSame(spec, before, "ipFamilyPolicy");
}

function dropNodePorts(spec: Decoded<ServiceSpec>, before: Decoded<ServiceSpec>): void {
  const known = new Set((before.ports ?? []).map((port) => port.nodePort));
  if (!(spec.ports ?? []).every((port) => port.nodePort === undefined || known.has(port.nodePort))) return;
  for (const port of spec.ports ?? []) delete port.nodePort;
}

function dropSame(spec: Decoded<ServiceSpec>, before: Decoded<ServiceSpec>, field: keyof ServiceSpec): void {
  if (deepEqual(spec[field], before[field])) delete spec[field];
}
