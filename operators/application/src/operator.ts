import { Deployment } from "@kedge/machinery/kinds/apps/v1";
import { HorizontalPodAutoscaler } from "@kedge/machinery/kinds/autoscaling/v2";
import { PersistentVolumeClaim, Pod, Service } from "@kedge/machinery/kinds/core/v1";
import { byLabel, defineController, defineOperator, watches, type Operator } from "@kedge/runtime";
import { Application } from "./kind.ts";
import { applicationLabel } from "./names.ts";
import { reconcileApplication } from "./reconcile.ts";

/** The Application operator. */
export const applicationOperator: Operator = defineOperator({
  name: "application",
  kinds: [Application],
  controllers: () => [
    defineController({
      name: "application-operator",
      for: Application,
      owns: [Deployment, Service, HorizontalPodAutoscaler],
      watches: [
        // They outlive the application, so they have no owner. Others' are looked at, too: one may be in the way.
        watches(PersistentVolumeClaim, byLabel(applicationLabel)),
        // Only what carries our label is kept in memory.
        watches(Pod, byLabel(applicationLabel), { labelSelector: applicationLabel }),
      ],
      reconcile: reconcileApplication,
    }),
  ],
});
