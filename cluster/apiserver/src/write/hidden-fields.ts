import { deepFreeze } from "@kedge/machinery";
import type { ApiObject, Resource, StoredApiObject } from "../registry/types.ts";
import type { ObjectVersion } from "../storage/object-version.ts";

/** What a write begins with: the stored object, frozen, with what readers are not shown. */
export function storedObject(version: ObjectVersion, resource: Resource): StoredApiObject {
  const { object } = version.as(resource);
  const joined = joinHidden(object, version, resource);
  if (joined === undefined) return object;
  deepFreeze(joined);
  return joined;
}

/** An object with what a stored version of it hides from readers; undefined when that is nothing. */
export function joinHidden(
  object: StoredApiObject,
  version: ObjectVersion,
  { strategy }: Resource,
): ApiObject | undefined {
  const hidden = strategy.hidden === undefined ? undefined : version.hidden();
  return hidden === undefined ? undefined : strategy.hidden?.join(object, hidden);
}

/** What a writer is shown of what was, or would have been, stored. */
export function shownObject(object: ApiObject, { strategy }: Resource): ApiObject {
  return strategy.hidden?.split(object)?.shown ?? object;
}
