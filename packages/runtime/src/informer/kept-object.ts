import { deepFreeze, type StoredObject } from "@kedge/machinery";
import type { StoredView } from "./stored-view.ts";
import type { AppliedFields } from "./types.ts";

/** An object as the cache keeps it. */
export interface KeptObject {
  /** Deeply frozen, without managedFields. */
  readonly object: StoredView;
  /** By manager, for the managers that were asked for. */
  readonly applied: ReadonlyMap<string, AppliedFields>;
}

/** Takes an object over: cuts its managedFields, which are half of most objects, and freezes the rest in place. */
export function keepObject(object: StoredObject, managers: ReadonlySet<string>): KeptObject {
  const managedFields = cutManagedFields(object);
  const applied = new Map<string, AppliedFields>();
  for (const { manager, operation, subresource, fieldsV1 } of managedFields ?? []) {
    const isWanted = manager !== undefined && managers.has(manager) && operation === "Apply";
    if (isWanted && (subresource ?? "") === "") applied.set(manager, { fields: JSON.stringify(fieldsV1) });
  }
  return { object: deepFreeze(object), applied: applied.size === 0 ? none : applied };
}

/**
 * Takes the managedFields off. Metadata is made anew: `delete` would turn it into a dictionary, of more than twice the
 * size and slower to read, for as long as the object is kept.
 */
export function cutManagedFields(object: StoredObject): StoredObject["metadata"]["managedFields"] {
  const { managedFields, ...metadata } = object.metadata;
  if (managedFields !== undefined) object.metadata = metadata;
  return managedFields;
}

const none: ReadonlyMap<string, AppliedFields> = new Map();

/** The newer object, with the older one's field sets where they are equal: their identity says "not changed". */
export function withSameFields(newer: KeptObject, older: KeptObject): KeptObject {
  const applied = new Map(newer.applied);
  for (const [manager, { fields }] of newer.applied) {
    const before = older.applied.get(manager);
    if (before?.fields === fields) applied.set(manager, before);
  }
  return { object: newer.object, applied };
}
