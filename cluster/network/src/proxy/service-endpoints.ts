import { parseIpv4, type DeepReadonly } from "@kedge/machinery";
import type { Service } from "@kedge/machinery/kinds/core/v1";
import type { EndpointSlice } from "@kedge/machinery/kinds/discovery/v1";

/** One port of a service, and where its connections go. */
export interface ServicePort {
  /** `namespace/name:port`, for comments and order. */
  readonly name: string;
  readonly protocol: "tcp" | "udp";
  readonly clusterAddress: string;
  readonly port: number;
  /** 0: none. */
  readonly nodePort: number;
  readonly endpoints: readonly Endpoint[];
}

/** Where a connection may go. */
export interface Endpoint {
  readonly address: string;
  readonly port: number;
}

/** The label by which slices say whose they are. */
export const serviceNameLabel = "kubernetes.io/service-name";

/** Every port of every service that has an address of its own, sorted by name. */
export function servicePorts(
  services: readonly DeepReadonly<Service>[],
  slices: readonly DeepReadonly<EndpointSlice>[],
): readonly ServicePort[] {
  const slicesOf = Map.groupBy(slices, (slice) => ownerOf(slice));
  return services
    .flatMap((service) => portsOf(service, slicesOf.get(keyOf(service)) ?? []))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

function portsOf(
  service: DeepReadonly<Service>,
  slices: readonly DeepReadonly<EndpointSlice>[],
): readonly ServicePort[] {
  const clusterAddress = service.spec?.clusterIP ?? "";
  if (parseIpv4(clusterAddress) === undefined) return [];
  return (service.spec?.ports ?? []).flatMap((port) => {
    const protocol = protocolOf(port.protocol);
    if (protocol === undefined) return [];
    return [
      {
        name: `${keyOf(service)}:${port.name ?? port.port}`,
        protocol,
        clusterAddress,
        port: port.port,
        nodePort: port.nodePort ?? 0,
        endpoints: endpointsOf(slices, port.name ?? ""),
      },
    ];
  });
}

/** Ready ones; while none is, those that still serve though they are being deleted. */
function endpointsOf(slices: readonly DeepReadonly<EndpointSlice>[], portName: string): readonly Endpoint[] {
  const ready = new Map<string, Endpoint>();
  const leaving = new Map<string, Endpoint>();
  for (const slice of slices) {
    const port = slice.ports?.find((candidate) => (candidate.name ?? "") === portName)?.port;
    if (port === undefined || slice.addressType !== "IPv4") continue;
    for (const { addresses, conditions } of slice.endpoints ?? []) {
      const [address] = addresses;
      if (address === undefined) continue;
      const endpoint = { address, port };
      if (conditions?.ready !== false) ready.set(`${address}:${port}`, endpoint);
      else if (conditions.serving === true && conditions.terminating === true)
        leaving.set(`${address}:${port}`, endpoint);
    }
  }
  const found = ready.size > 0 ? ready : leaving;
  return [...found].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, endpoint]) => endpoint);
}

/** SCTP is not carried. */
function protocolOf(protocol: string | undefined): "tcp" | "udp" | undefined {
  if (protocol === undefined || protocol === "TCP") return "tcp";
  return protocol === "UDP" ? "udp" : undefined;
}

function keyOf(object: { readonly metadata: { readonly namespace: string; readonly name: string } }): string {
  return `${object.metadata.namespace}/${object.metadata.name}`;
}

function ownerOf(slice: DeepReadonly<EndpointSlice>): string {
  return `${slice.metadata.namespace}/${slice.metadata.labels?.[serviceNameLabel] ?? ""}`;
}
