import type { DeepReadonly } from "@kedge/machinery";
import {
  Pod,
  type EndpointAddress,
  type EndpointPort,
  type EndpointSubset,
  type Service,
} from "@kedge/machinery/kinds/core/v1";
import { hostnameOf, portsOf } from "../endpointslice/endpoints.ts";
import { hasEnded, isReady, isTerminating } from "../pods/pod-state.ts";

/** More addresses than this are not told in one object: whoever wants all looks at slices. */
const capacity = 1000;

/** The addresses of a service, and whether some had to be left out. */
export interface Subsets {
  readonly subsets: readonly EndpointSubset[];
  readonly isTruncated: boolean;
}

/** The addresses behind a service, those with the same ports together. Sorted, so equal is equal. */
export function subsetsOf(service: DeepReadonly<Service>, pods: readonly DeepReadonly<Pod>[]): Subsets {
  const groups = new Map<string, Group>();
  for (const pod of pods) {
    const address = addressOf(service, pod);
    if (address === undefined) continue;
    const ports = portsOf(service, pod).map(endpointPort);
    // Without ports only a headless service leads anywhere.
    if (ports.length === 0 && !isHeadlessWithoutPorts(service)) continue;
    const key = JSON.stringify(ports);
    const group = groups.get(key) ?? { ports, ready: [], notReady: [] };
    groups.set(key, group);
    const isOpen = service.spec?.publishNotReadyAddresses === true || isReady(pod);
    (isOpen ? group.ready : group.notReady).push(address);
  }
  const sorted = [...groups]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([, { ports, ready, notReady }]) => ({
      ports,
      ready: ready.toSorted(byAddress),
      notReady: notReady.toSorted(byAddress),
    }));
  return truncated(sorted);
}

interface Group {
  readonly ports: readonly EndpointPort[];
  readonly ready: EndpointAddress[];
  readonly notReady: EndpointAddress[];
}

/** Undefined for a pod that has no address yet, has ended, or goes. */
function addressOf(service: DeepReadonly<Service>, pod: DeepReadonly<Pod>): EndpointAddress | undefined {
  const ip = pod.status?.podIP ?? "";
  if (ip === "" || hasEnded(pod)) return undefined;
  if (isTerminating(pod) && service.spec?.publishNotReadyAddresses !== true) return undefined;
  const { namespace, name, uid } = pod.metadata;
  return {
    ip,
    ...hostnameOf(service, pod),
    nodeName: pod.spec.nodeName ?? "",
    targetRef: { kind: Pod.kind, namespace, name, uid },
  };
}

/** A port without a name has none here, where a slice's has an empty one. */
function endpointPort({ name, port = 0, ...rest }: ReturnType<typeof portsOf>[number]): EndpointPort {
  return { ...((name ?? "") !== "" && { name }), port, ...rest };
}

function isHeadlessWithoutPorts({ spec }: DeepReadonly<Service>): boolean {
  return (spec?.ports ?? []).length === 0 && spec?.clusterIP === "None";
}

/** Of too many, those that are ready come first, and each group gives up its share. */
function truncated(groups: readonly Group[]): Subsets {
  const count = (which: "ready" | "notReady"): number =>
    groups.reduce((sum, group) => sum + group[which].length, 0);
  const [ready, notReady] = [count("ready"), count("notReady")];
  if (ready + notReady <= capacity) return { subsets: groups.map(subsetOf), isTruncated: false };
  const which = ready > capacity ? "ready" : "notReady";
  const [all, most] = which === "ready" ? [ready, capacity] : [notReady, capacity - ready];
  let left = most;
  const subsets = groups.map((group) => {
    const share = Math.min(left, Math.ceil((group[which].length / all) * most));
    const kept = group[which].slice(0, share);
    left -= kept.length;
    return subsetOf(
      which === "ready" ? { ...group, ready: kept, notReady: [] } : { ...group, notReady: kept },
    );
  });
  return { subsets, isTruncated: true };
}

function subsetOf({ ports, ready, notReady }: Group): EndpointSubset {
  return {
    ...(ready.length > 0 && { addresses: ready }),
    ...(notReady.length > 0 && { notReadyAddresses: notReady }),
    ...(ports.length > 0 && { ports: [...ports] }),
  };
}

function byAddress(one: EndpointAddress, other: EndpointAddress): number {
  return addressKey(one) < addressKey(other) ? -1 : 1;
}

function addressKey({ ip, targetRef }: EndpointAddress): string {
  return `${ip} ${targetRef?.uid ?? ""}`;
}
