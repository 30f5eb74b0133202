import {
  clone,
  controllerReference,
  deepEqual,
  parseIpv4,
  withTypeMeta,
  type DeepReadonly,
  type Draft,
} from "@kedge/machinery";
import { Endpoints, type EndpointAddress } from "@kedge/machinery/kinds/core/v1";
import type { Endpoint, EndpointPort, EndpointSlice } from "@kedge/machinery/kinds/discovery/v1";
import { managerLabel, serviceLabel, triggerAnnotation, type SliceAction } from "../endpointslice/plan.ts";

/** Who mirrors, as the original would. */
export const mirror = "endpointslicemirroring-controller.k8s.io";

/** More addresses of a subset than this are not mirrored. */
const mostAddresses = 1000;

/** What is to be done so that slices say what endpoints of a person's own say. */
export interface MirrorPlan {
  readonly actions: readonly SliceAction[];
  /** Addresses that were left out because there are too many. */
  readonly skipped: number;
  /** Addresses that are none. */
  readonly invalid: number;
}

/** One slice for each set of ports and kind of address. Slices that are there are used again before others are made. */
export function planMirror(
  endpoints: DeepReadonly<Endpoints>,
  existing: readonly DeepReadonly<EndpointSlice>[],
): MirrorPlan {
  const { groups, skipped, invalid } = groupsOf(endpoints);
  const left = new Set(existing.toSorted((one, other) => (one.metadata.name < other.metadata.name ? -1 : 1)));
  const fitting = groups.map((group) => {
    const slice = [...left].find(
      ({ addressType, ports }) => addressType === group.addressType && deepEqual(ports ?? [], group.ports),
    );
    if (slice !== undefined) left.delete(slice);
    return slice;
  });
  const actions = groups.flatMap((group, i): SliceAction[] => {
    // One with other ports is better than a new one; what kind of addresses it has cannot change.
    const slice = fitting[i] ?? [...left].find(({ addressType }) => addressType === group.addressType);
    if (slice !== undefined) left.delete(slice);
    const { addressType } = group;
    const content = { endpoints: [...group.endpoints], ports: [...group.ports] };
    const metadata = metadataOf(endpoints);
    if (slice === undefined) {
      const { namespace, name } = endpoints.metadata;
      const draft: Draft<EndpointSlice> = {
        metadata: { generateName: `${name}-`, namespace, ...metadata },
        addressType,
        ...content,
      };
      return [{ type: "create", slice: draft }];
    }
    const { labels, annotations = {} } = slice.metadata;
    const isSame =
      deepEqual(slice.endpoints ?? [], clone(content.endpoints)) &&
      deepEqual(slice.ports ?? [], content.ports) &&
      deepEqual({ labels, annotations }, { labels: metadata.labels, annotations: metadata.annotations });
    if (isSame) return [];
    return [
      { type: "update", slice: { ...slice, metadata: { ...slice.metadata, ...metadata }, ...content } },
    ];
  });
  const gone = Array.from(left, (slice): SliceAction => ({ type: "delete", slice }));
  return { actions: [...actions, ...gone], skipped, invalid };
}

/** Whether endpoints are not to be mirrored at all. */
export function isNotMirrored({ metadata }: DeepReadonly<Endpoints>): boolean {
  return (
    metadata.labels?.["endpointslice.kubernetes.io/skip-mirror"] === "true" ||
    metadata.annotations?.["control-plane.alpha.kubernetes.io/leader"] !== undefined
  );
}

interface Group {
  readonly addressType: string;
  readonly ports: readonly EndpointPort[];
  readonly endpoints: Endpoint[];
}

function groupsOf({ subsets = [] }: DeepReadonly<Endpoints>): {
  readonly groups: readonly Group[];
  readonly skipped: number;
  readonly invalid: number;
} {
  const groups = new Map<string, Group>();
  let [skipped, invalid] = [0, 0];
  for (const { addresses = [], notReadyAddresses = [], ports = [] } of subsets) {
    const all = [...inOrder(addresses, true), ...inOrder(notReadyAddresses, false)];
    const valid = all.filter(({ address }) => familyOf(address.ip) !== undefined);
    invalid += all.length - valid.length;
    skipped += Math.max(0, valid.length - mostAddresses);
    const slicePorts = ports.map(({ name = "", port, protocol = "TCP", ...rest }) => ({
      name,
      port,
      protocol,
      ...rest,
    }));
    for (const { address, ready } of valid.slice(0, mostAddresses)) {
      const addressType = familyOf(address.ip) ?? "IPv4";
      const key = JSON.stringify([addressType, slicePorts]);
      const group = groups.get(key) ?? { addressType, ports: slicePorts, endpoints: [] };
      groups.set(key, group);
      group.endpoints.push(endpointOf(address, ready));
    }
  }
  return { groups: [...groups.values()], skipped, invalid };
}

function inOrder(addresses: readonly DeepReadonly<EndpointAddress>[], ready: boolean) {
  return addresses
    .toSorted((one, other) => (one.ip < other.ip ? -1 : 1))
    .map((address) => ({ address, ready }));
}

function familyOf(ip: string): "IPv4" | "IPv6" | undefined {
  if (parseIpv4(ip) !== undefined) return "IPv4";
  return ip.includes(":") ? "IPv6" : undefined;
}

function endpointOf(
  { ip, hostname, nodeName, targetRef }: DeepReadonly<EndpointAddress>,
  ready: boolean,
): Endpoint {
  return {
    addresses: [ip],
    conditions: { ready },
    ...((hostname ?? "") !== "" && { hostname }),
    ...(nodeName !== undefined && { nodeName }),
    ...(targetRef !== undefined && { targetRef: { ...targetRef } }),
  };
}

function metadataOf(endpoints: DeepReadonly<Endpoints>) {
  const { labels, annotations, name } = endpoints.metadata;
  const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";
  const { [triggerAnnotation]: _t, [lastApplied]: _l, ...kept } = annotations ?? {};
  return {
    labels: { ...labels, [serviceLabel]: name, [managerLabel]: mirror },
    annotations: kept,
    ownerReferences: [controllerReference(withTypeMeta(Endpoints, endpoints))],
  };
}
