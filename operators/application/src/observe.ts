import { isControlledBy, selectorFromLabels, type DeepReadonly, type ObjectKey } from "@kedge/machinery";
import { Deployment } from "@kedge/machinery/kinds/apps/v1";
import { HorizontalPodAutoscaler } from "@kedge/machinery/kinds/autoscaling/v2";
import { PersistentVolumeClaim, Pod, Service } from "@kedge/machinery/kinds/core/v1";
import type { ReconcileContext } from "@kedge/runtime";
import type { Application } from "./kind.ts";
import { labelsOf } from "./names.ts";

/** All that a plan is made of. */
export interface Observed {
  readonly application: DeepReadonly<Application>;
  readonly deployment: DeepReadonly<Deployment> | undefined;
  readonly service: DeepReadonly<Service> | undefined;
  readonly autoscaler: DeepReadonly<HorizontalPodAutoscaler> | undefined;
  /** The claims that the application controls, also those that its spec no longer names. */
  readonly claims: readonly DeepReadonly<PersistentVolumeClaim>[];
  readonly pods: readonly DeepReadonly<Pod>[];
}

/** Gathers from the caches what there is of an application. */
export function observe(
  context: Pick<ReconcileContext<Application>, "read">,
  application: DeepReadonly<Application>,
): Observed {
  const { namespace, name } = application.metadata;
  const key: ObjectKey = { namespace, name };
  return {
    application,
    deployment: context.read(Deployment).get(key),
    service: context.read(Service).get(key),
    autoscaler: context.read(HorizontalPodAutoscaler).get(key),
    claims: context
      .read(PersistentVolumeClaim)
      .list({ namespace })
      .filter((claim) => isControlledBy(claim, application)),
    pods: context.read(Pod).list({ namespace, selector: selectorFromLabels(labelsOf(name)) }),
  };
}
