import {
  clone,
  controllerReference,
  deepEqual,
  type DeepReadonly,
  type Draft,
  type Uid,
} from "@kedge/machinery";
import type { Service } from "@kedge/machinery/kinds/core/v1";
import type { EndpointSlice } from "@kedge/machinery/kinds/discovery/v1";
import type { EndpointGroup } from "./endpoints.ts";
import { piecesOf } from "./pieces.ts";

/** Whose slices these are: the proxy and DNS look at the first, others leave alone what is not theirs by the second. */
export const serviceLabel = "kubernetes.io/service-name";
/** Who writes a slice. */
export const managerLabel = "endpointslice.kubernetes.io/managed-by";
/** We do, as the original would. */
export const manager = "endpointslice-controller.k8s.io";
/** When the change happened that a slice was last written for. */
export const triggerAnnotation = "endpoints.kubernetes.io/last-change-trigger-time";
const headlessLabel = "service.kubernetes.io/headless";

/** One thing to do for a service's slices. */
export type SliceAction =
  | { readonly type: "create"; readonly slice: Draft<EndpointSlice> }
  | { readonly type: "update"; readonly slice: DeepReadonly<EndpointSlice> }
  | { readonly type: "delete"; readonly slice: DeepReadonly<EndpointSlice> };

/** What there is, and why it is looked at. */
export interface SliceView {
  readonly existing: readonly DeepReadonly<EndpointSlice>[];
  /** The time of the change that is told; undefined when it is not known. */
  readonly triggeredAt: string | undefined;
}

/** Fills the slices that exist with what there is to say, makes those that are missing and drops those left over. */
export function planSlices(
  service: DeepReadonly<Service> & { readonly metadata: { readonly uid: Uid } },
  groups: readonly EndpointGroup[],
  { existing, triggeredAt }: SliceView,
): readonly SliceAction[] {
  if (service.spec?.type === "ExternalName") return existing.map((slice) => ({ type: "delete", slice }));
  const left = new Set(existing.toSorted((one, other) => (one.metadata.name < other.metadata.name ? -1 : 1)));
  const wanted = (groups.length === 0 ? [{ ports: [], endpoints: [] }] : groups).flatMap((group) => {
    const pieces = piecesOf(
      group,
      [...left].filter(({ ports }) => deepEqual(ports ?? [], group.ports)),
    );
    for (const { slice } of pieces) if (slice !== undefined) left.delete(slice);
    return pieces;
  });
  const actions = wanted.map((group): SliceAction | undefined => {
    // One with other ports is better than a new one.
    const [other] = left;
    const slice = group.slice ?? other;
    if (slice !== undefined) left.delete(slice);
    if (slice === undefined) return { type: "create", slice: draftSlice(service, group, triggeredAt) };
    const labels = labelsOf(service);
    const same =
      deepEqual(slice.endpoints ?? [], clone(group.endpoints)) &&
      deepEqual(slice.ports ?? [], group.ports) &&
      deepEqual(slice.metadata.labels, labels);
    if (same) return undefined;
    return {
      type: "update",
      slice: {
        ...slice,
        metadata: { ...slice.metadata, labels, annotations: annotationsOf(slice, triggeredAt) },
        endpoints: group.endpoints,
        ports: group.ports,
      },
    };
  });
  return [
    ...actions.filter((action) => action !== undefined),
    ...Array.from(left, (slice): SliceAction => ({ type: "delete", slice })),
  ];
}

function draftSlice(
  service: DeepReadonly<Service> & { readonly metadata: { readonly uid: Uid } },
  group: EndpointGroup,
  triggeredAt: string | undefined,
): Draft<EndpointSlice> {
  return {
    metadata: {
      generateName: `${service.metadata.name}-`,
      namespace: service.metadata.namespace,
      labels: labelsOf(service),
      annotations: annotationsOf(undefined, triggeredAt),
      ownerReferences: [controllerReference({ ...service, apiVersion: "v1", kind: "Service" })],
    },
    addressType: "IPv4",
    endpoints: [...group.endpoints],
    ports: [...group.ports],
  };
}

function labelsOf(service: DeepReadonly<Service>): Record<string, string> {
  const reserved = new Set([serviceLabel, managerLabel, headlessLabel]);
  const own = Object.entries(service.metadata.labels ?? {}).filter(([name]) => !reserved.has(name));
  const { clusterIP = "" } = service.spec ?? {};
  return {
    ...Object.fromEntries(own),
    [serviceLabel]: service.metadata.name,
    [managerLabel]: manager,
    ...(clusterIP === "" || clusterIP === "None" ? { [headlessLabel]: "" } : {}),
  };
}

function annotationsOf(
  slice: DeepReadonly<EndpointSlice> | undefined,
  triggeredAt: string | undefined,
): Record<string, string> {
  const { [triggerAnnotation]: _, ...others } = slice?.metadata.annotations ?? {};
  return { ...others, ...(triggeredAt === undefined ? {} : { [triggerAnnotation]: triggeredAt }) };
}
