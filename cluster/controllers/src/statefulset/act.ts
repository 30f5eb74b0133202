import {
  findCause,
  ifFound,
  isAlreadyExists,
  messageOf,
  withTypeMeta,
  type DeepReadonly,
} from "@kedge/machinery";
import { StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import { PersistentVolumeClaim, Pod } from "@kedge/machinery/kinds/core/v1";
import type { EventNote, ReconcileContext } from "@kedge/runtime";
import { isAsPlanned } from "../is-as-planned.ts";
import { claimsAt, nameAt, podAt } from "./identity.ts";
import type { StatefulSetAction } from "./plan.ts";

type Context = ReconcileContext<StatefulSet>;
type AnySet = DeepReadonly<StatefulSet>;

/** Whether the set is still the one that a run has planned for. */
export function mayGoOn(context: Context, set: AnySet): boolean {
  const newest = context.read(StatefulSet).get(set.metadata);
  return isAsPlanned(set, { newest, signal: context.signal });
}

/** Does one thing of a set's plan. */
export async function act(context: Context, set: AnySet, action: StatefulSetAction): Promise<void> {
  switch (action.type) {
    case "create":
      await createPod(context, set, action);
      return;
    case "create claims":
      await createClaims(context, set, action.ordinal);
      return;
    case "own claim": {
      const { uid, resourceVersion } = action.claim.metadata;
      await context.client.of(PersistentVolumeClaim).patch(action.claim.metadata, {
        merge: { metadata: { uid, resourceVersion, ownerReferences: action.owners } },
      });
      return;
    }
    case "delete":
      await deletePod(context, set, action.pod);
  }
}

async function createPod(
  context: Context,
  set: AnySet,
  { ordinal, revision }: StatefulSetAction & { type: "create" },
): Promise<void> {
  const what = `Create Pod ${nameAt(set, ordinal)} in StatefulSet ${set.metadata.name}`;
  try {
    await createClaims(context, set, ordinal);
    if (!mayGoOn(context, set)) return;
    await context.client.of(Pod).create(podAt(set, ordinal, revision));
  } catch (error) {
    // The pod of before is still on its way out, and its end brings us back; or nothing may be made any more.
    if (isAlreadyExists(error) || findCause(error, "NamespaceTerminating") !== undefined) return;
    const why = messageOf(error);
    tell(context, set, { type: "Warning", reason: "FailedCreate", message: `${what} failed error: ${why}` });
    throw error;
  }
  tell(context, set, { reason: "SuccessfulCreate", message: `${what} successful` });
}

async function createClaims(context: Context, set: AnySet, ordinal: number): Promise<void> {
  for (const claim of claimsAt(set, ordinal)) {
    const { name } = claim.metadata;
    const key = { namespace: set.metadata.namespace, name };
    if (context.read(PersistentVolumeClaim).get(key) !== undefined) continue;
    if (!mayGoOn(context, set)) return;
    try {
      await context.client.of(PersistentVolumeClaim).create(claim);
    } catch (error) {
      // A claim that outlived an earlier pod of this place: its data is what the place is about.
      if (isAlreadyExists(error)) continue;
      throw error;
    }
    const message = `Create Claim ${name} Pod ${nameAt(set, ordinal)} in StatefulSet ${set.metadata.name} success`;
    tell(context, set, { reason: "SuccessfulCreate", message });
  }
}

async function deletePod(context: Context, set: AnySet, pod: DeepReadonly<Pod>): Promise<void> {
  const { name, uid } = pod.metadata;
  await ifFound(context.client.of(Pod).delete(pod.metadata, { preconditions: { uid } }));
  const message = `Delete Pod ${name} in StatefulSet ${set.metadata.name} successful`;
  tell(context, set, { reason: "SuccessfulDelete", message });
}

function tell({ events }: Context, set: AnySet, note: EventNote): void {
  events.record(withTypeMeta(StatefulSet, set), note);
}
