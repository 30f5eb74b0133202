import { isNotFound, type DeepReadonly, type Random, type Uid } from "@kedge/machinery";
import { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import { ConfigMap, PersistentVolumeClaim, Service } from "@kedge/machinery/kinds/core/v1";
import { deleteChild, ensureFinalizer, type ReconcileContext } from "@kedge/runtime";
import { adoptPassword, createPassword, restorePassword } from "./act-password.ts";
import { RedisInstance } from "./kind.ts";
import { finalizer } from "./names.ts";
import type { Action } from "./plan/plan.ts";

/** What acting takes. */
export interface Acting {
  readonly context: ReconcileContext<RedisInstance>;
  readonly instance: DeepReadonly<RedisInstance>;
  /** Where passwords come from: fit for secrets. */
  readonly secretRandom: Random;
}

/** Does one thing. Doing it again does no harm. */
export async function act(action: Action, acting: Acting): Promise<void> {
  const { context, instance } = acting;
  const { namespace } = instance.metadata;
  switch (action.do) {
    case "add-finalizer":
      await ensureFinalizer(context, RedisInstance, instance, finalizer);
      return;
    case "create-password":
      await createPassword(acting);
      return;
    case "adopt-password":
      await adoptPassword(acting);
      return;
    case "restore-password":
      await restorePassword(acting);
      return;
    case "apply-config-map":
      await context.apply(ConfigMap, action.object, { owner: instance });
      return;
    case "apply-service":
      await context.apply(Service, action.object, { owner: instance });
      return;
    case "apply-stateful-set":
      await context.apply(StatefulSet, action.object, { owner: instance });
      return;
    case "delete-config-map":
      await deleteChild(context, ConfigMap, { namespace, ...action });
      return;
    case "stop-pods":
      await stopPods(acting, action);
      return;
    case "delete-stateful-set":
      // In the foreground: it is there until its pods are gone, and then nobody writes to the volumes.
      await deleteChild(context, StatefulSet, { namespace, ...action }, { propagation: "Foreground" });
      return;
    case "delete-claim":
      await deleteChild(context, PersistentVolumeClaim, { namespace, ...action });
  }
}

/** Leaves the StatefulSet without pods; one that is gone has none. */
async function stopPods(
  { context, instance }: Acting,
  { name, uid }: { readonly name: string; readonly uid: Uid },
): Promise<void> {
  const { namespace } = instance.metadata;
  const change = { metadata: { uid }, spec: { replicas: 0 } };
  try {
    await context.client
      .of(StatefulSet)
      .patch({ namespace, name }, { merge: change }, { signal: context.signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
