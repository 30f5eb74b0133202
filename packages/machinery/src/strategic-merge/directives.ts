import { isJsonList, isJsonObject, setOwn, type JsonObject } from "../json-value.ts";

/** What an object of a patch holds to say that it is to be deleted, or to replace instead of being merged. */
export const patchDirective = "$patch";
/** Which keys of an object are left: all others are removed. */
export const retainKeys = "$retainKeys";
/** `$deleteFromPrimitiveList/field`: what to take out of a list of scalars. */
export const deleteFromPrimitiveList = "$deleteFromPrimitiveList";
/** `$setElementOrder/field`: in which order a list is. */
export const setElementOrder = "$setElementOrder";

/** The field that a directive is about: `finalizers` of `$setElementOrder/finalizers`; undefined when there is none. */
export function fieldOf(key: string, directive: string): string | undefined {
  return key.startsWith(`${directive}/`) ? key.slice(directive.length + 1) : undefined;
}

/** A value of a patch without the objects that hold `$patch`; undefined when it is one itself. */
export function withoutDirectives(value: unknown): unknown {
  if (isJsonList(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isJsonObject(value)) return value;
  if (Object.hasOwn(value, patchDirective)) return undefined;
  return mapFields(value, withoutDirectives);
}

/** A value without the fields that are null, at any depth. */
export function withoutNulls(value: unknown): unknown {
  if (isJsonList(value)) return value.map(withoutNulls);
  if (!isJsonObject(value)) return value;
  return mapFields(value, (item) => (item === null ? undefined : withoutNulls(item)));
}

function mapFields(object: JsonObject, change: (value: unknown) => unknown): JsonObject {
  const changed: JsonObject = {};
  for (const [key, value] of Object.entries(object)) {
    const item = change(value);
    if (item !== undefined) setOwn(changed, key, item);
  }
  return changed;
}
