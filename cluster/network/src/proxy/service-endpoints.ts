import type { DeepReadonly } from "@kedge/machinery";
import type { EndpointSlice } from "@kedge/machinery/kinds/discovery/v1";

/** Where a connection may go. */
export interface Endpoint {
  readonly address: string;
  readonly port: number;
}

/** Where the proxy is that leads connections. A machine that has nodes in namespaces of their own is none itself. */
export interface ProxyPlace {
  readonly nodeName?: string | undefined;
  /** Of the node: its label `topology.kubernetes.io/zone`. */
  readonly zone?: string | undefined;
}

/** The endpoints of one port of a service, as seen from a place. */
export interface ChosenEndpoints {
  /** For traffic that may go to any node. */
  readonly cluster: readonly Endpoint[];
  /** Those on the proxy's own node. */
  readonly local: readonly Endpoint[];
}

/** The label by which slices say whose they are. */
export const serviceNameLabel = "kubernetes.io/service-name";

type Slices = readonly DeepReadonly<EndpointSlice>[];

/**
 * Picks endpoints as kube-proxy does: those that are ready, of these the ones that hints name for this node or zone when
 * all have hints and some are for us; while none is ready, those that still serve though they are being deleted. Cluster
 * and local ones are picked apart from each other.
 */
export function chooseEndpoints(slices: Slices, portName: string, place: ProxyPlace): ChosenEndpoints {
  const all = candidatesOf(slices, portName);
  const ready = all.filter((one) => one.ready);
  const leaving = all.filter((one) => !one.ready && one.serving && one.terminating);
  const usable = (isHere: (one: Candidate) => boolean): readonly Endpoint[] => {
    const here = ready.filter(isHere);
    return sorted(here.length > 0 ? here : leaving.filter(isHere));
  };
  return {
    cluster: ready.length > 0 ? sorted(hinted(ready, place)) : sorted(leaving),
    local: usable(({ nodeName }) => nodeName !== undefined && nodeName === place.nodeName),
  };
}

/** How many addresses of a service on a node are ready, whatever their ports. */
export function readyOn(slices: Slices, nodeName: string): number {
  const addresses = slices
    .filter(({ addressType }) => addressType === "IPv4")
    .flatMap(({ endpoints }) => endpoints ?? [])
    .filter((endpoint) => endpoint.nodeName === nodeName && endpoint.conditions?.ready !== false)
    .flatMap((endpoint) => endpoint.addresses.slice(0, 1));
  return new Set(addresses).size;
}

interface Candidate extends Endpoint {
  readonly ready: boolean;
  readonly serving: boolean;
  readonly terminating: boolean;
  readonly nodeName: string | undefined;
  readonly forNodes: readonly string[];
  readonly forZones: readonly string[];
}

/** Of an address that is in several slices, while it moves from one to another, the one that is ready counts. */
function candidatesOf(slices: Slices, portName: string): readonly Candidate[] {
  const found = new Map<string, Candidate>();
  for (const slice of slices) {
    const port = slice.ports?.find((candidate) => (candidate.name ?? "") === portName)?.port;
    if (port === undefined || slice.addressType !== "IPv4") continue;
    for (const { addresses, conditions, nodeName, hints } of slice.endpoints ?? []) {
      const [address] = addresses;
      if (address === undefined) continue;
      const key = `${address}:${port}`;
      const ready = conditions?.ready !== false;
      if (found.get(key)?.ready === true) continue;
      found.set(key, {
        address,
        port,
        ready,
        serving: conditions?.serving ?? ready,
        terminating: conditions?.terminating === true,
        nodeName,
        forNodes: (hints?.forNodes ?? []).map(({ name }) => name),
        forZones: (hints?.forZones ?? []).map(({ name }) => name),
      });
    }
  }
  return [...found.values()];
}

function hinted(ready: readonly Candidate[], { nodeName, zone }: ProxyPlace): readonly Candidate[] {
  const meant = (
    hints: (one: Candidate) => readonly string[],
    us: string | undefined,
  ): readonly Candidate[] =>
    us === undefined || !ready.every((one) => hints(one).length > 0)
      ? []
      : ready.filter((one) => hints(one).includes(us));
  const forNode = meant(({ forNodes }) => forNodes, nodeName);
  if (forNode.length > 0) return forNode;
  const forZone = meant(({ forZones }) => forZones, zone);
  return forZone.length > 0 ? forZone : ready;
}

function sorted(endpoints: readonly Candidate[]): readonly Endpoint[] {
  return endpoints
    .map(({ address, port }) => ({ key: `${address}:${port}`, endpoint: { address, port } }))
    .toSorted((one, other) => (one.key < other.key ? -1 : 1))
    .map(({ endpoint }) => endpoint);
}
