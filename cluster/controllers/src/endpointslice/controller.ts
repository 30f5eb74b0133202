import { selectorFromLabels, selectorMatches, type DeepReadonly, type ObjectKey } from "@kedge/machinery";
import { Node, Pod, Service } from "@kedge/machinery/kinds/core/v1";
import { EndpointSlice } from "@kedge/machinery/kinds/discovery/v1";
import {
  byController,
  defineController,
  owns,
  watches,
  type Controller,
  type ControllerHost,
  type ReconcileContext,
} from "@kedge/runtime";
import { actOnSlice } from "./act.ts";
import { endpointGroups } from "./endpoints.ts";
import { manager, managerLabel, planSlices } from "./plan.ts";
import { TriggerTimes } from "./trigger-times.ts";

/** Tells the proxy and DNS which pods are behind each service. */
export function endpointSliceController(): Controller {
  const times = new TriggerTimes();
  return defineController({
    name: "endpointslice-controller",
    for: Service,
    owns: [owns(EndpointSlice, {})],
    watches: [watches(Pod, servicesOf), watches(Node, whenZoneChanges)],
    reconcile: (context) => reconcile(context, times),
  });
}

/** The services whose selector the pod fits, now or before it changed. */
export function servicesOf(
  pod: DeepReadonly<Pod>,
  previous: DeepReadonly<Pod> | undefined,
  host: ControllerHost,
): readonly ObjectKey[] {
  return host.informers
    .of(Service)
    .list({ namespace: pod.metadata.namespace })
    .filter(
      ({ spec }) =>
        spec?.selector !== undefined && (fits(spec.selector, pod) || fits(spec.selector, previous)),
    )
    .map(({ metadata }) => metadata);
}

/** All services may have pods on a node: they are looked at when it is first seen to be in a zone, or in another. */
function whenZoneChanges(
  node: DeepReadonly<Node>,
  previous: DeepReadonly<Node> | undefined,
  host: ControllerHost,
): readonly ObjectKey[] {
  if (zoneOf(node) === zoneOf(previous)) return [];
  return host.informers
    .of(Service)
    .list()
    .map(({ metadata }) => metadata);
}

function zoneOf(node: DeepReadonly<Node> | undefined): string | undefined {
  const zone = node?.metadata.labels?.["topology.kubernetes.io/zone"] ?? "";
  return zone === "" ? undefined : zone;
}

function fits(selector: Readonly<Record<string, string>>, pod: DeepReadonly<Pod> | undefined): boolean {
  return pod !== undefined && selectorMatches(selectorFromLabels(selector), pod.metadata.labels ?? {});
}

async function reconcile(context: ReconcileContext<Service>, times: TriggerTimes): Promise<undefined> {
  const { object: service, client } = context;
  if (service === undefined) times.forget(context.key);
  // Slices of a service without a selector are its owner's to write.
  if (service?.spec?.selector === undefined || service.metadata.deletionTimestamp !== undefined)
    return undefined;
  const { namespace, uid } = service.metadata;
  const pods = context.read(Pod).list({ namespace, selector: selectorFromLabels(service.spec.selector) });
  const triggeredAt = times.next(service, pods);
  const existing = context
    .read(EndpointSlice)
    .byIndex(byController, uid)
    .filter(
      ({ metadata }) =>
        metadata.labels?.[managerLabel] === manager && metadata.deletionTimestamp === undefined,
    );
  const groups = endpointGroups(service, pods, (name) => zoneOf(context.read(Node).get({ name })));
  for (const action of planSlices(service, groups, { existing, triggeredAt }))
    await actOnSlice(client, action);
  return undefined;
}
