import { findCause, withTypeMeta, type DeepReadonly, type ObjectKey } from "@kedge/machinery";
import { Endpoints, Service } from "@kedge/machinery/kinds/core/v1";
import { EndpointSlice } from "@kedge/machinery/kinds/discovery/v1";
import { defineController, watches, type Controller, type ReconcileContext } from "@kedge/runtime";
import { actOnSlice } from "../endpointslice/act.ts";
import { managerLabel, serviceLabel } from "../endpointslice/plan.ts";
import { isNotMirrored, mirror, planMirror } from "./mirror-plan.ts";

type Context = ReconcileContext<Endpoints>;

/** Makes slices of the endpoints that people write themselves, for services without a selector: proxies read slices. */
export function endpointsMirrorController(): Controller {
  return defineController({
    name: "endpointslice-mirroring-controller",
    reporter: "endpoint-slice-mirroring-controller",
    for: Endpoints,
    watches: [
      watches(Service, ({ metadata: { namespace, name } }) => [{ namespace, name }]),
      watches(EndpointSlice, endpointsOf),
    ],
    reconcile,
  });
}

function endpointsOf({ metadata: { namespace, labels } }: DeepReadonly<EndpointSlice>): readonly ObjectKey[] {
  const name = labels?.[serviceLabel];
  return name === undefined || labels?.[managerLabel] !== mirror ? [] : [{ namespace, name }];
}

async function reconcile(context: Context): Promise<undefined> {
  const { object: endpoints, key, events } = context;
  const existing = context
    .read(EndpointSlice)
    .list({ namespace: key.namespace })
    .filter(
      ({ metadata: { labels } }) => labels?.[serviceLabel] === key.name && labels[managerLabel] === mirror,
    );
  const service = context.read(Service).get(key);
  const isOurs =
    endpoints !== undefined &&
    !isNotMirrored(endpoints) &&
    service !== undefined &&
    service.spec?.selector === undefined;
  if (!isOurs) {
    for (const slice of existing) await actOnSlice(context.client, { type: "delete", slice });
    return undefined;
  }
  const { actions, skipped, invalid } = planMirror(endpoints, existing);
  const tell = (reason: string, message: string): void =>
    events.record(withTypeMeta(Endpoints, endpoints), { type: "Warning", reason, message });
  if (invalid > 0)
    tell("InvalidIPAddress", `Skipped ${invalid} invalid IP addresses when mirroring to EndpointSlices`);
  if (skipped > 0)
    tell(
      "TooManyAddressesToMirror",
      `A max of 1000 addresses can be mirrored to EndpointSlices per Endpoints subset. ${skipped + invalid} addresses were skipped`,
    );
  for (const action of actions) {
    try {
      await actOnSlice(context.client, action);
    } catch (error) {
      // A namespace that is being deleted takes nothing new.
      if (findCause(error, "NamespaceTerminating") !== undefined) return undefined;
      throw error;
    }
  }
  return undefined;
}
