import { parseIpv4, type DeepReadonly } from "@kedge/machinery";
import type { Service } from "@kedge/machinery/kinds/core/v1";
import type { EndpointSlice } from "@kedge/machinery/kinds/discovery/v1";
import {
  chooseEndpoints,
  serviceNameLabel,
  type ChosenEndpoints,
  type ProxyPlace,
} from "./service-endpoints.ts";

/** One port of a service: where it is reached, and where its connections go. */
export interface ServicePort {
  /** `namespace/name:port`, for comments and order. */
  readonly name: string;
  readonly protocol: Protocol;
  readonly port: number;
  readonly clusterAddress: string;
  /** Its `externalIPs`. */
  readonly externalAddresses: readonly string[];
  /** Those of its load balancer. */
  readonly balancerAddresses: readonly string[];
  /** Who may connect to the load balancer's addresses; none named: everybody. */
  readonly sourceRanges: readonly string[];
  /** 0: none. */
  readonly nodePort: number;
  /** Whether what comes to its cluster address stays on the node. */
  readonly internalLocal: boolean;
  /** Whether what comes from outside stays on the node that it came to, and keeps its source. */
  readonly externalLocal: boolean;
  /** For how many seconds of silence a client keeps its endpoint; 0: each connection is on its own. */
  readonly affinitySeconds: number;
  readonly endpoints: ChosenEndpoints;
}

/** What is carried. */
export type Protocol = "tcp" | "udp" | "sctp";

/** Services that have it are led by another proxy. */
const otherProxyLabel = "service.kubernetes.io/service-proxy-name";
const defaultAffinitySeconds = 10_800;

/** Every port of every service that has an address of its own, sorted by name. */
export function servicePorts(
  services: readonly DeepReadonly<Service>[],
  slices: readonly DeepReadonly<EndpointSlice>[],
  place: ProxyPlace,
): readonly ServicePort[] {
  const slicesOf = slicesByService(slices);
  return services
    .flatMap((service) => portsOf(service, slicesOf.get(keyOf(service)) ?? [], place))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** The slices of each service, by its namespace and name. */
export function slicesByService(
  slices: readonly DeepReadonly<EndpointSlice>[],
): ReadonlyMap<string, readonly DeepReadonly<EndpointSlice>[]> {
  return Map.groupBy(
    slices,
    ({ metadata }) => `${metadata.namespace}/${metadata.labels?.[serviceNameLabel] ?? ""}`,
  );
}

/** `namespace/name` */
export function keyOf({ metadata }: DeepReadonly<Service>): string {
  return `${metadata.namespace}/${metadata.name}`;
}

function portsOf(
  service: DeepReadonly<Service>,
  slices: readonly DeepReadonly<EndpointSlice>[],
  place: ProxyPlace,
): readonly ServicePort[] {
  const { spec, status, metadata } = service;
  const clusterAddress = spec?.clusterIP ?? "";
  if (spec === undefined || !isIpv4(clusterAddress)) return [];
  if (metadata.labels?.[otherProxyLabel] !== undefined) return [];
  const ingress = spec.type === "LoadBalancer" ? (status?.loadBalancer?.ingress ?? []) : [];
  const shared = {
    clusterAddress,
    externalAddresses: (spec.externalIPs ?? []).filter(isIpv4),
    // An address that is a proxy's is led to a node by that proxy, not by us.
    balancerAddresses: ingress
      .filter(({ ipMode }) => ipMode !== "Proxy")
      .flatMap(({ ip }) => (ip !== undefined && isIpv4(ip) ? [ip] : [])),
    sourceRanges: sourceRangesOf(spec.loadBalancerSourceRanges ?? []),
    internalLocal: spec.internalTrafficPolicy === "Local",
    externalLocal: spec.externalTrafficPolicy === "Local",
    affinitySeconds:
      spec.sessionAffinity === "ClientIP"
        ? (spec.sessionAffinityConfig?.clientIP?.timeoutSeconds ?? defaultAffinitySeconds)
        : 0,
  };
  return (spec.ports ?? []).map((port) => ({
    ...shared,
    name: `${keyOf(service)}:${port.name ?? port.port}`,
    protocol: protocols[port.protocol ?? "TCP"] ?? "tcp",
    port: port.port,
    nodePort: port.nodePort ?? 0,
    endpoints: chooseEndpoints(slices, port.name ?? "", place),
  }));
}

const protocols: Readonly<Record<string, Protocol>> = { TCP: "tcp", UDP: "udp", SCTP: "sctp" };

/** One that has all addresses is as good as none. */
function sourceRangesOf(ranges: readonly string[]): readonly string[] {
  const ours = ranges.map((range) => range.trim()).filter((range) => !range.includes(":"));
  return ours.some((range) => range.endsWith("/0")) ? [] : ours;
}

function isIpv4(address: string): boolean {
  return parseIpv4(address) !== undefined;
}
