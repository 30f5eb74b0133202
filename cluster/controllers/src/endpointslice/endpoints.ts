import type { DeepReadonly } from "@kedge/machinery";
import { Pod, type Service, type ServicePort } from "@kedge/machinery/kinds/core/v1";
import type { Endpoint, EndpointPort } from "@kedge/machinery/kinds/discovery/v1";
import { hasEnded, isReady, isTerminating } from "../pods/pod-state.ts";

/** Endpoints that have the same ports. */
export interface EndpointGroup {
  readonly ports: readonly EndpointPort[];
  readonly endpoints: readonly Endpoint[];
}

/** The endpoints of a service, apart by the ports that its target ports mean in each pod. Sorted, so equal is equal. */
export function endpointGroups(
  service: DeepReadonly<Service>,
  pods: readonly DeepReadonly<Pod>[],
  zoneOf: (nodeName: string) => string | undefined = () => undefined,
): readonly EndpointGroup[] {
  const groups = new Map<string, { ports: readonly EndpointPort[]; endpoints: Endpoint[] }>();
  for (const pod of pods.toSorted((one, other) => (one.metadata.name < other.metadata.name ? -1 : 1))) {
    const endpoint = endpointOf(service, pod, zoneOf);
    if (endpoint === undefined) continue;
    const ports = portsOf(service, pod);
    const key = JSON.stringify(ports);
    const group = groups.get(key) ?? { ports, endpoints: [] };
    group.endpoints.push(endpoint);
    groups.set(key, group);
  }
  return [...groups].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, group]) => group);
}

/** Undefined for a pod that has no address yet, or no longer anything to offer. */
function endpointOf(
  service: DeepReadonly<Service>,
  pod: DeepReadonly<Pod>,
  zoneOf: (nodeName: string) => string | undefined,
): Endpoint | undefined {
  const address = pod.status?.podIP ?? "";
  if (address === "" || hasEnded(pod)) return undefined;
  const serving = isReady(pod);
  const terminating = isTerminating(pod);
  const ready = service.spec?.publishNotReadyAddresses === true || (serving && !terminating);
  const { namespace, name, uid } = pod.metadata;
  const { nodeName = "" } = pod.spec;
  const zone = nodeName === "" ? undefined : zoneOf(nodeName);
  return {
    addresses: [address],
    conditions: { ready, serving, terminating },
    ...hostnameOf(service, pod),
    ...(nodeName === "" ? {} : { nodeName }),
    ...(zone === undefined ? {} : { zone }),
    ...(ready ? hintsOf(service, nodeName, zone) : {}),
    targetRef: { kind: Pod.kind, namespace, name, uid },
  };
}

/** For whom the endpoint is, where the service prefers what is close. */
function hintsOf(
  { spec }: DeepReadonly<Service>,
  nodeName: string,
  zone: string | undefined,
): Pick<Endpoint, "hints"> {
  const { trafficDistribution } = spec ?? {};
  if (trafficDistribution === undefined) return {};
  const forNodes = trafficDistribution === "PreferSameNode" && nodeName !== "";
  if (zone === undefined && !forNodes) return {};
  return {
    hints: {
      ...(zone === undefined ? {} : { forZones: [{ name: zone }] }),
      ...(forNodes ? { forNodes: [{ name: nodeName }] } : {}),
    },
  };
}

/** The name that the pod has below the service's, if it has one. */
export function hostnameOf(
  { metadata }: DeepReadonly<Service>,
  { spec }: DeepReadonly<Pod>,
): { readonly hostname?: string } {
  const { hostname = "", subdomain } = spec;
  return hostname !== "" && subdomain === metadata.name ? { hostname } : {};
}

/** The service's ports as they are in a pod. Ports that the pod does not have are left out. */
export function portsOf(service: DeepReadonly<Service>, pod: DeepReadonly<Pod>): readonly EndpointPort[] {
  return (service.spec?.ports ?? []).flatMap((port) => {
    const number = targetOf(port, pod);
    if (number === undefined) return [];
    return [
      {
        name: port.name ?? "",
        port: number,
        protocol: port.protocol ?? "TCP",
        ...(port.appProtocol === undefined ? {} : { appProtocol: port.appProtocol }),
      },
    ];
  });
}

function targetOf(port: DeepReadonly<ServicePort>, pod: DeepReadonly<Pod>): number | undefined {
  const target = port.targetPort ?? port.port;
  if (typeof target === "number") return target === 0 ? port.port : target;
  const protocol = port.protocol ?? "TCP";
  return pod.spec.containers
    .flatMap(({ ports }) => ports ?? [])
    .find((candidate) => candidate.name === target && (candidate.protocol ?? "TCP") === protocol)
    ?.containerPort;
}
