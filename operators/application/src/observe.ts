import {
  controllerOf,
  isControlledBy,
  selectorFromLabels,
  type Dependent,
  type DeepReadonly,
  type ObjectKey,
} from "@kedge/machinery";
import { Deployment } from "@kedge/machinery/kinds/apps/v1";
import { HorizontalPodAutoscaler } from "@kedge/machinery/kinds/autoscaling/v2";
import { PersistentVolumeClaim, Pod, Service } from "@kedge/machinery/kinds/core/v1";
import { isConsented, type ReconcileContext } from "@kedge/runtime";
import type { Application } from "./kind.ts";
import { applicationLabel, claimNameOf, labelsOf } from "./names.ts";

/** All that a plan is made of: what is the application's. Others' objects of the same names are not in it. */
export interface Observed {
  readonly application: DeepReadonly<Application>;
  readonly deployment: DeepReadonly<Deployment> | undefined;
  readonly service: DeepReadonly<Service> | undefined;
  readonly autoscaler: DeepReadonly<HorizontalPodAutoscaler> | undefined;
  /** Its claims, also those that its spec no longer names and those that an earlier one of its name has left. */
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
  const own = <T extends Dependent>(child: T | undefined): T | undefined =>
    child !== undefined && isControlledBy(child, application) ? child : undefined;
  const deployment = own(context.read(Deployment).get(key));
  return {
    application,
    deployment,
    service: own(context.read(Service).get(key)),
    autoscaler: own(context.read(HorizontalPodAutoscaler).get(key)),
    claims: context
      .read(PersistentVolumeClaim)
      .list({ namespace })
      .filter((claim) => isOurs(claim, application)),
    pods:
      deployment === undefined
        ? []
        : context.read(Pod).list({ namespace, selector: selectorFromLabels(labelsOf(name)) }),
  };
}

/** By its label and name, or because whoever made it consents. Claims of older versions are controlled by the application. */
function isOurs(claim: DeepReadonly<PersistentVolumeClaim>, application: DeepReadonly<Application>): boolean {
  if (controllerOf(claim) !== undefined) return isControlledBy(claim, application);
  const { metadata, spec } = application;
  const isNamed = (spec.storage?.persistentVolumeClaims ?? []).some(
    ({ name }) => claimNameOf(metadata.name, name) === claim.metadata.name,
  );
  const isLabelled =
    claim.metadata.labels?.[applicationLabel] === metadata.name &&
    claim.metadata.name.startsWith(claimNameOf(metadata.name, ""));
  return isLabelled || (isNamed && isConsented(claim, application));
}
