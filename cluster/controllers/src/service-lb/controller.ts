import { isNotFound, withTypeMeta, type DeepReadonly, type ObjectKey } from "@kedge/machinery";
import { Service } from "@kedge/machinery/kinds/core/v1";
import {
  defineController,
  watches,
  type Controller,
  type ControllerHost,
  type ReconcileContext,
} from "@kedge/runtime";
import { addressPool, type AddressPool } from "./addresses.ts";
import { cleanupFinalizer, heldBy, planBalancer } from "./plan.ts";

type Context = ReconcileContext<Service>;

/** Gives services of type LoadBalancer an address of this range. The proxies lead connections to it on. */
export function serviceBalancerController(options: { readonly range: string }): Controller {
  const pool = addressPool(options.range);
  /** What was given and may not be in the cache yet, by the service's uid. */
  const given = new Map<string, string>();
  return defineController({
    name: "service-lb-controller",
    reporter: "service-controller",
    for: Service,
    // An address that was given up may be what another waits for.
    watches: [watches(Service, waiting)],
    reconcile: (context) => reconcile(context, { pool, given }),
  });
}

function waiting(_service: unknown, _previous: unknown, host: ControllerHost): readonly ObjectKey[] {
  return host.informers
    .of(Service)
    .list()
    .filter((service) => service.spec?.type === "LoadBalancer" && heldBy(service).length === 0)
    .map(({ metadata }) => metadata);
}

interface Given {
  readonly pool: AddressPool;
  readonly given: Map<string, string>;
}

async function reconcile(context: Context, { pool, given }: Given): Promise<undefined> {
  const { object: service, client } = context;
  const all = context.read(Service).list();
  forgetGone(given, all);
  if (service === undefined) return undefined;
  const { namespace, name, uid, finalizers = [] } = service.metadata;
  const key = { namespace, name };
  const services = client.of(Service);
  const tell = (reason: string, message: string, type: "Normal" | "Warning" = "Normal"): void =>
    context.events.record(withTypeMeta(Service, service), { type, reason, message });
  const step = planBalancer(service, { pool, isTaken: takenBy(all, given, service) });
  switch (step.type) {
    case "nothing":
      return undefined;
    case "refuse": {
      const message = `Error syncing load balancer: failed to ensure load balancer: ${step.reason}`;
      tell("SyncLoadBalancerFailed", message, "Warning");
      return undefined;
    }
    case "ensure": {
      given.set(uid, step.address);
      tell("EnsuringLoadBalancer", "Ensuring load balancer");
      // Before there is anything to clean up.
      if (step.addFinalizer)
        await services.patch(key, {
          merge: { metadata: { uid, finalizers: [...finalizers, cleanupFinalizer] } },
        });
      await services.status.patch(key, {
        merge: { metadata: { uid }, status: { loadBalancer: { ingress: step.ingress } } },
      });
      tell("EnsuredLoadBalancer", "Ensured load balancer");
      return undefined;
    }
    case "delete": {
      given.delete(uid);
      tell("DeletingLoadBalancer", "Deleting load balancer");
      const left = finalizers.filter((finalizer) => finalizer !== cleanupFinalizer);
      try {
        if (service.metadata.deletionTimestamp === undefined && heldBy(service).length > 0)
          await services.status.patch(key, {
            merge: { metadata: { uid }, status: { loadBalancer: { ingress: null } } },
          });
        await services.patch(key, { merge: { metadata: { uid, finalizers: left } } });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
      tell("DeletedLoadBalancer", "Deleted load balancer");
      return undefined;
    }
  }
}

/** Whether another service has an address. Of two that have the same, it belongs to the older one. */
function takenBy(
  all: readonly DeepReadonly<Service>[],
  given: ReadonlyMap<string, string>,
  service: DeepReadonly<Service>,
): (address: string) => boolean {
  const taken = new Set<string>();
  const own = new Set(heldBy(service));
  for (const other of all) {
    if (other.metadata.uid === service.metadata.uid) continue;
    for (const address of heldBy(other))
      if (!own.has(address) || ageOf(other) < ageOf(service)) taken.add(address);
  }
  for (const [uid, address] of given) if (uid !== service.metadata.uid) taken.add(address);
  return (address) => taken.has(address);
}

function ageOf({ metadata }: DeepReadonly<Service>): string {
  return `${metadata.creationTimestamp}/${metadata.uid}`;
}

/** What services have that are gone is free again. */
function forgetGone(given: Map<string, string>, all: readonly DeepReadonly<Service>[]): void {
  const uids = new Set<string>(all.map(({ metadata }) => metadata.uid));
  for (const uid of given.keys()) if (!uids.has(uid)) given.delete(uid);
}
