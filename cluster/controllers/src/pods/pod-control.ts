import { findCause, isNotFound, messageOf, type DeepReadonly, type Draft } from "@kedge/machinery";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import type { ReconcileContext } from "@kedge/runtime";
import type { PodOwner } from "./pod-from-template.ts";

type Context = Pick<ReconcileContext<unknown>, "client" | "events">;

/** Makes a pod and tells of it. False when its namespace is being deleted and takes none: that is no failure. */
export async function createPod(context: Context, owner: PodOwner, draft: Draft<Pod>): Promise<boolean> {
  try {
    const pod = await context.client.of(Pod).create(draft);
    context.events.record(owner, {
      reason: "SuccessfulCreate",
      message: `Created pod: ${pod.metadata.name}`,
    });
    return true;
  } catch (error) {
    if (findCause(error, "NamespaceTerminating") !== undefined) return false;
    const message = `Error creating: ${messageOf(error)}`;
    context.events.record(owner, { type: "Warning", reason: "FailedCreate", message });
    throw error;
  }
}

/** Deletes a pod and tells of it, unless it is gone. */
export async function deletePod(context: Context, owner: PodOwner, pod: DeepReadonly<Pod>): Promise<true> {
  const { name, uid } = pod.metadata;
  try {
    await context.client.of(Pod).delete(pod.metadata, { preconditions: { uid }, propagation: "Background" });
    context.events.record(owner, { reason: "SuccessfulDelete", message: `Deleted pod: ${name}` });
    return true;
  } catch (error) {
    if (isNotFound(error)) return true;
    const message = `Error deleting: ${messageOf(error)}`;
    context.events.record(owner, { type: "Warning", reason: "FailedDelete", message });
    throw error;
  }
}
