import { Namespace } from "@kedge/machinery/kinds/core/v1";
import type { StoredView } from "./stored-view.ts";
import { promised } from "./stored-view.ts";

/**
 * Whether an object that a write has answered is the last state of one that is not there any more: it was being deleted
 * and nothing holds it back. Servers answer so to the removal of the last finalizer, and to some deletions.
 */
export function isGone(object: StoredView): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = object.metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds > 0 || finalizers.length > 0)
    return false;
  // Namespaces are held back by a second list.
  return object.kind !== Namespace.kind || (promised<Namespace>(object).spec?.finalizers ?? []).length === 0;
}
