import { isNotFound, type Uid } from "@kedge/machinery";
import { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import { adoptPassword, createPassword, restorePassword } from "./act-password.ts";
import type { Acting } from "./acting.ts";
import type { Action } from "./plan/types.ts";

/** Does one thing. Doing it again does no harm. */
export async function act(action: Action, acting: Acting): Promise<void> {
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
    case "stop pods":
      await stopPods(acting, action);
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
