import { deepEqual } from "@kedge/machinery";
import { isObject, type JsonObject } from "./json.ts";

/** What is other in an object or list than in the one before it, by key or index. Empty: nothing. */
export interface Changes {
  readonly [key: string]: { readonly to: unknown } | { readonly within: Changes } | "gone";
}

/** All that changed from one object to the other, so that `restore` finds the way back. */
export function changesBetween(before: JsonObject, after: JsonObject): Changes {
  const changes: Record<string, Changes[string]> = {};
  for (const key of Object.keys(before)) if (!Object.hasOwn(after, key)) changes[key] = "gone";
  for (const [key, to] of Object.entries(after)) {
    const from = before[key];
    if (Object.hasOwn(before, key) && deepEqual(from, to)) continue;
    changes[key] = areAlike(from, to)
      ? { within: changesBetween(from as JsonObject, to as JsonObject) }
      : { to };
  }
  return changes;
}

/** The object after the changes. */
export function restore(before: JsonObject, changes: Changes): JsonObject {
  const after = (Array.isArray(before) ? [...(before as unknown[])] : { ...before }) as JsonObject;
  for (const [key, change] of Object.entries(changes)) {
    if (change === "gone") delete after[key];
    else if ("to" in change) after[key] = change.to;
    else after[key] = restore(before[key] as JsonObject, change.within);
  }
  return after;
}

/** Whether both are objects, or lists of one length: these are objects with numbers for keys. */
function areAlike(a: unknown, b: unknown): boolean {
  return (isObject(a) && isObject(b)) || (Array.isArray(a) && Array.isArray(b) && a.length === b.length);
}
