import type { DeepReadonly } from "@kedge/machinery";
import { Deployment } from "@kedge/machinery/kinds/apps/v1";
import { PersistentVolumeClaim } from "@kedge/machinery/kinds/core/v1";
import { disownChild, type WritingContext } from "@kedge/runtime";
import type { Application } from "./kind.ts";
import type { Action } from "./plan/plan.ts";

/** Holds the number of replicas between the application's letting go of it and the autoscaler's first say. */
const replicasManager = "application-operator-replicas";

/** Does one thing. Doing it again does no harm. */
export async function act(
  action: Action,
  context: WritingContext,
  application: DeepReadonly<Application>,
): Promise<void> {
  switch (action.type) {
    case "disown claim":
      await disownChild(context, PersistentVolumeClaim, action.claim, application);
      return;
    case "hand over replicas": {
      const { client, signal } = context;
      const { namespace } = application.metadata;
      const { name, uid, count } = action;
      // Not forced: when somebody has scaled since we looked, we look again.
      await client
        .of(Deployment)
        .apply(
          { metadata: { namespace, name, uid }, spec: { replicas: count } },
          { fieldManager: replicasManager, signal },
        );
    }
  }
}
