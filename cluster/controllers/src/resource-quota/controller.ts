import { deepEqual, type Clock } from "@kedge/machinery";
import { ResourceQuota } from "@kedge/machinery/kinds/core/v1";
import {
  defineController,
  type Controller,
  type Informers,
  type ReconcileContext,
  type ReconcileResult,
  type Source,
} from "@kedge/runtime";
import { writeStatusAsUpdate } from "../write-status.ts";
import { CountedObjects, resourceText } from "./counted-objects.ts";
import { quotaStatus, resourcesOf } from "./plan.ts";

/** How often everything is counted again, whatever was told. */
const resync = 300_000;
/** How soon to look again for kinds that are not read yet, or not served. */
const lookAgain = 5_000;

/** What the controller of quotas looks with. */
export interface ResourceQuotaOptions {
  readonly informers: Informers;
  readonly clock: Clock;
}

/**
 * Counts what ResourceQuotas limit. The API server counts what is created; this counts what is gone or has changed, and
 * all of it from time to time: a request that was charged may have failed after that.
 */
export function resourceQuotaController({ informers, clock }: ResourceQuotaOptions): Controller {
  const counted = new CountedObjects(informers, clock);
  return defineController({
    name: "resourcequota-controller",
    for: ResourceQuota,
    when: (quota, previous) => previous === undefined || !deepEqual(quota.spec, previous.spec),
    sources: [changesOf(counted)],
    reconcile: (context) => reconcile(context, counted),
  });
}

function changesOf(counted: CountedObjects): Source {
  return async (enqueue, signal) => {
    const end = counted.onChange(enqueue);
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener("abort", () => resolve(), { once: true });
    });
    end();
  };
}

async function reconcile(
  { object: quota, client, clock }: ReconcileContext<ResourceQuota>,
  counted: CountedObjects,
): Promise<ReconcileResult | undefined> {
  if (quota === undefined) return undefined;
  const resources = resourcesOf(quota);
  const informers = await counted.ready(resources, client);
  const { namespace } = quota.metadata;
  const status = quotaStatus(quota, {
    objectsOf: (resource) => informers.get(resourceText(resource))?.list({ namespace }),
    now: clock.now(),
  });
  if (status !== undefined) await writeStatusAsUpdate(client.of(ResourceQuota).status, quota, status);
  return { requeueAfter: informers.size < resources.length ? lookAgain : resync };
}
