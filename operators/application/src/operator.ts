import { Deployment } from "@kedge/machinery/kinds/apps/v1";
import { HorizontalPodAutoscaler } from "@kedge/machinery/kinds/autoscaling/v2";
import { PersistentVolumeClaim, Pod, Service } from "@kedge/machinery/kinds/core/v1";
import { byLabel, defineController, defineOperator, may, owns, watches, type Operator } from "@kedge/runtime";
import { Application } from "./kind.ts";
import { applicationLabel } from "./names.ts";
import { reconcileApplication } from "./reconcile.ts";

/** What carries our label, as all children and pods of all versions do. Only that is kept in memory. */
const ours = { labelSelector: applicationLabel };

/** The Application operator. */
export const applicationOperator: Operator = defineOperator({
  name: "application",
  kinds: [Application],
  rights: [
    // The finalizer.
    may(["patch"], Application),
    may(["delete"], Service),
    may(["delete"], HorizontalPodAutoscaler),
    // Only where `deletionPolicy: Delete` says so.
    may(["delete"], PersistentVolumeClaim),
  ],
  controllers: () => [
    defineController({
      name: "application-operator",
      for: Application,
      owns: [
        owns(Deployment, ours),
        owns(Service, ours),
        owns(HorizontalPodAutoscaler, ours),
        owns(PersistentVolumeClaim, ours),
      ],
      watches: [
        // They outlive the application, so they have no owner: it is found by the label.
        watches(PersistentVolumeClaim, byLabel(applicationLabel), ours),
        watches(Pod, byLabel(applicationLabel), ours),
      ],
      reconcile: reconcileApplication,
    }),
  ],
});
