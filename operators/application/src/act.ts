import type { DeepReadonly } from "@kedge/machinery";
import { Deployment } from "@kedge/machinery/kinds/apps/v1";
import { HorizontalPodAutoscaler } from "@kedge/machinery/kinds/autoscaling/v2";
import { PersistentVolumeClaim, Service } from "@kedge/machinery/kinds/core/v1";
import { deleteChild, disownChild, ensureFinalizer, type ReconcileContext } from "@kedge/runtime";
import { Application } from "./kind.ts";
import { applicationLabel, finalizer } from "./names.ts";
import type { Action } from "./plan/plan.ts";

/** Holds the number of replicas between the application's letting go of it and the autoscaler's first say. */
const replicasManager = "application-operator-replicas";

/** Does one thing. Doing it again does no harm. */
export async function act(
  action: Action,
  context: ReconcileContext<Application>,
  application: DeepReadonly<Application>,
): Promise<void> {
  const { client, signal } = context;
  const { namespace } = application.metadata;
  switch (action.do) {
    case "add-finalizer":
      await ensureFinalizer(context, Application, application, finalizer);
      return;
    case "apply-claim":
      await context.apply(PersistentVolumeClaim, action.object, {
        owner: application,
        outlivesBy: applicationLabel,
      });
      return;
    case "disown-claim":
      await disownChild(context, PersistentVolumeClaim, action.claim, application);
      return;
    case "hand-over-replicas": {
      const { name, uid, count } = action;
      // Not forced: when somebody has scaled since we looked, we look again.
      await client
        .of(Deployment)
        .apply(
          { metadata: { namespace, name, uid }, spec: { replicas: count } },
          { fieldManager: replicasManager, signal },
        );
      return;
    }
    case "apply-deployment":
      await context.apply(Deployment, action.object, { owner: application });
      return;
    case "apply-service":
      await context.apply(Service, action.object, { owner: application });
      return;
    case "apply-autoscaler":
      await context.apply(HorizontalPodAutoscaler, action.object, { owner: application });
      return;
    case "delete-service":
      await deleteChild(context, Service, { namespace, ...action });
      return;
    case "delete-autoscaler":
      await deleteChild(context, HorizontalPodAutoscaler, { namespace, ...action });
      return;
    case "delete-claim":
      await deleteChild(context, PersistentVolumeClaim, { namespace, ...action });
  }
}
