import {
  clone,
  deepEqual,
  findCause,
  isNotFound,
  messageOf,
  selectorFromLabels,
  type DeepReadonly,
  type ObjectKey,
} from "@kedge/machinery";
import { Endpoints, Pod, Service } from "@kedge/machinery/kinds/core/v1";
import {
  defineController,
  watches,
  type Controller,
  type ControllerHost,
  type ReconcileContext,
} from "@kedge/runtime";
import { servicesOf } from "../endpointslice/controller.ts";
import { TriggerTimes } from "../endpointslice/trigger-times.ts";
import { subsetsOf } from "./subsets.ts";

type Context = ReconcileContext<Service>;

const managerLabel = "endpoints.kubernetes.io/managed-by";
const manager = "endpoint-controller";
const headlessLabel = "service.kubernetes.io/headless";
const triggerAnnotation = "endpoints.kubernetes.io/last-change-trigger-time";
const capacityAnnotation = "endpoints.kubernetes.io/over-capacity";

/** Tells the addresses behind each service in the old form, one object for each, for those who still read it. */
export function endpointsController(): Controller {
  const times = new TriggerTimes();
  return defineController({
    name: "endpoint-controller",
    reporter: "endpoint-controller",
    for: Service,
    watches: [watches(Pod, servicesOf), watches(Endpoints, serviceOf)],
    reconcile: (context) => reconcile(context, times),
  });
}

/** The service of that name. Without one only what we have made concerns us: a person may make endpoints first. */
function serviceOf(
  { metadata: { namespace, name, labels } }: DeepReadonly<Endpoints>,
  _previous: unknown,
  host: ControllerHost,
): readonly ObjectKey[] {
  const hasService = host.informers.of(Service).get({ namespace, name }) !== undefined;
  return hasService || labels?.[managerLabel] === manager ? [{ namespace, name }] : [];
}

async function reconcile(context: Context, times: TriggerTimes): Promise<undefined> {
  const { object: service, key } = context;
  const current = context.read(Endpoints).get(key);
  if (service === undefined) {
    times.forget(key);
    if (current !== undefined && !isElection(current)) await remove(context, current);
    return undefined;
  }
  // Endpoints of a service without a selector are its owner's to write.
  const { selector, type } = service.spec ?? {};
  if (selector === undefined || type === "ExternalName") return undefined;
  const { namespace } = service.metadata;
  const pods = context.read(Pod).list({ namespace, selector: selectorFromLabels(selector) });
  const triggeredAt = times.next(service, pods);
  const { subsets, isTruncated } = subsetsOf(service, pods);
  const labels = labelsOf(service);
  const isSame =
    current !== undefined &&
    deepEqual(current.subsets ?? [], clone(subsets)) &&
    deepEqual(current.metadata.labels, labels) &&
    (current.metadata.annotations?.[capacityAnnotation] !== undefined) === isTruncated;
  if (isSame) return undefined;
  const {
    [triggerAnnotation]: _t,
    [capacityAnnotation]: _c,
    ...others
  } = current?.metadata.annotations ?? {};
  const annotations = {
    ...others,
    ...(triggeredAt !== undefined && { [triggerAnnotation]: triggeredAt }),
    ...(isTruncated && { [capacityAnnotation]: "truncated" }),
  };
  await write(context, service, current, { labels, annotations, subsets: clone(subsets) });
  return undefined;
}

interface Wanted {
  readonly labels: Record<string, string>;
  readonly annotations: Record<string, string>;
  readonly subsets: NonNullable<Endpoints["subsets"]>;
}

async function write(
  { client, events }: Context,
  { metadata: { namespace, name } }: DeepReadonly<Service>,
  current: DeepReadonly<Endpoints> | undefined,
  { labels, annotations, subsets }: Wanted,
): Promise<void> {
  const all = client.of(Endpoints);
  try {
    if (current === undefined)
      await all.create({ metadata: { namespace, name, labels, annotations }, subsets });
    else {
      const metadata = { ...current.metadata, managedFields: undefined, labels, annotations };
      await all.replace({ ...current, metadata, subsets });
    }
  } catch (error) {
    // A namespace that is being deleted takes nothing new.
    if (findCause(error, "NamespaceTerminating") !== undefined) return;
    const what = current === undefined ? "create endpoint for service" : "update endpoint";
    events.record(
      { apiVersion: "v1", kind: Endpoints.kind, metadata: { namespace, name } },
      {
        type: "Warning",
        reason: current === undefined ? "FailedToCreateEndpoint" : "FailedToUpdateEndpoint",
        message: `Failed to ${what} ${namespace}/${name}: ${messageOf(error)}`,
      },
    );
    throw error;
  }
}

async function remove({ client }: Context, { metadata }: DeepReadonly<Endpoints>): Promise<void> {
  try {
    await client.of(Endpoints).delete(metadata, { preconditions: { uid: metadata.uid } });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** Old programs elect their leader by an object of this kind, without a service. */
function isElection({ metadata }: DeepReadonly<Endpoints>): boolean {
  return metadata.annotations?.["control-plane.alpha.kubernetes.io/leader"] !== undefined;
}

function labelsOf({ metadata, spec }: DeepReadonly<Service>): Record<string, string> {
  const { [headlessLabel]: _, ...own } = metadata.labels ?? {};
  const { clusterIP = "" } = spec ?? {};
  return {
    ...own,
    [managerLabel]: manager,
    ...((clusterIP === "" || clusterIP === "None") && { [headlessLabel]: "" }),
  };
}
