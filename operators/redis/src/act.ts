import { isNotFound, type DeepReadonly, type Uid } from "@kedge/machinery";
import { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import { PersistentVolumeClaim } from "@kedge/machinery/kinds/core/v1";
import { setConfig } from "./act-config.ts";
import { adoptPassword, createPassword, restorePassword } from "./act-password.ts";
import { writeBinding } from "./act-binding.ts";
import { actOnReplication } from "./act-replication.ts";
import { finishRotation, turnPassword } from "./act-rotation.ts";
import { keepSystemSecret, turnSystemKey } from "./act-system-secret.ts";
import { setUsers, tryUsers } from "./act-users.ts";
import type { Acting, ServerActing } from "./acting.ts";
import { imageAnnotation, labelsOf, touchedAnnotation } from "./names.ts";
import type { RollBack } from "./plan/roll-back.ts";
import type { Action } from "./plan/types.ts";

/** Does one thing. Doing it again does no harm. */
export async function act(action: Exclude<Action, RollBack>, acting: ServerActing): Promise<void> {
  switch (action.type) {
    case "create password":
      await createPassword(acting);
      return;
    case "adopt password":
      await adoptPassword(acting);
      return;
    case "restore password":
      await restorePassword(acting);
      return;
    case "write binding":
      await writeBinding(acting);
      return;
    case "keep system secret":
      await keepSystemSecret(acting);
      return;
    case "stop pods":
      await stopPods(acting, action);
      return;
    case "label claim":
      await patchClaim(acting, action.claim, {
        metadata: { labels: labelsOf(acting.instance.metadata.name) },
      });
      return;
    case "resize claim":
      await patchClaim(acting, action.claim, {
        spec: { resources: { requests: { storage: action.size } } },
      });
      return;
    case "record image":
      await patchClaim(acting, action.claim, {
        metadata: {
          annotations: action.isReady
            ? { [imageAnnotation]: action.image, [touchedAnnotation]: null }
            : { [touchedAnnotation]: action.image },
        },
      });
      return;
    case "turn password":
      await turnPassword(acting);
      return;
    case "turn system key":
      await turnSystemKey(acting, "begin");
      return;
    case "finish rotation":
      await finishRotation(action, acting);
      return;
    case "try users":
      await tryUsers(action, acting);
      return;
    case "set users":
      await setUsers(action, acting);
      return;
    case "set config":
      await setConfig(action, acting);
      return;
    default:
      await actOnReplication(action, acting);
  }
}

/** As it was seen: who has changed it since may have said whose it is. */
async function patchClaim(
  { context }: Acting,
  { metadata }: DeepReadonly<PersistentVolumeClaim>,
  change: { readonly metadata?: object; readonly spec?: object },
): Promise<void> {
  const { namespace, name, uid, resourceVersion } = metadata;
  const merge = { ...change, metadata: { ...change.metadata, uid, resourceVersion } };
  try {
    await context.client
      .of(PersistentVolumeClaim)
      .patch({ namespace, name }, { merge }, { signal: context.signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
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
