import { deepEqual } from "@kedge/machinery";
import type { StoredView } from "../informer/stored-view.ts";

/**
 * Whether a change of an object is one that its controller should look at, unless it says otherwise: not its status,
 * which is the controller's own report.
 */
export function matters(object: StoredView, previous: StoredView | undefined): boolean {
  if (previous === undefined || isSpecChange(object, previous)) return true;
  const now = object.metadata;
  const before = previous.metadata;
  return (
    !deepEqual(now.labels, before.labels) ||
    !deepEqual(now.annotations, before.annotations) ||
    !deepEqual(now.finalizers, before.finalizers)
  );
}

/** Whether what is wanted of an object has changed: its failures so far do not count any more. */
export function isSpecChange(object: StoredView, previous: StoredView): boolean {
  const now = object.metadata;
  const before = previous.metadata;
  if (now.uid !== before.uid || now.deletionTimestamp !== before.deletionTimestamp) return true;
  if (now.generation !== undefined) return now.generation !== before.generation;
  return !deepEqual(contentOf(object), contentOf(previous));
}

/** Kinds without a generation (ConfigMaps, Secrets) have no other way of telling. */
function contentOf(object: StoredView): unknown {
  const { metadata: _compared, ...content } = { ...object, status: undefined };
  return content;
}
