import { deepEqual } from "../json/deep-equal.ts";
import { isJsonList, isJsonObject, type JsonObject } from "../json-value.ts";
import { metaOf, withMeta } from "./object-meta.ts";

/**
 * The object to store in place of `before`: when nothing but times of managedFields is different, the old times are
 * kept, so that what is equal stays equal and nothing needs to be written.
 */
export function keepTimes(before: Readonly<JsonObject>, after: Readonly<JsonObject>): Readonly<JsonObject> {
  const old = metaOf(before)["managedFields"];
  const now = metaOf(after)["managedFields"];
  if (!isJsonList(old) || !isJsonList(now) || old.length !== now.length || old.length === 0) return after;
  if (!now.every((entry, index) => deepEqual(withoutTime(entry), withoutTime(old[index])))) return after;
  const kept = withMeta(after, "managedFields", old);
  return deepEqual(kept, before) ? kept : after;
}

function withoutTime(entry: unknown): unknown {
  return isJsonObject(entry) ? { ...entry, time: undefined } : entry;
}
