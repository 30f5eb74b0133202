import { goType } from "../go/go-format.ts";
import { compareText } from "../go/text-order.ts";
import { getOwn, isJsonList, isJsonObject, setOwn, type JsonObject } from "../json-value.ts";
import type { TypeSchema } from "../type-schema/type-schema.ts";
import {
  deleteFromPrimitiveList,
  fieldOf,
  patchDirective,
  withoutDirectives,
  withoutNulls,
} from "./directives.ts";
import { badDirective, deleteFromList, mergeLists } from "./merge-lists.ts";
import { mergeOrderedLists } from "./merge-ordered-lists.ts";
import { badPrimitiveList } from "./patch-error.ts";
import { listField, objectField } from "./patch-schema.ts";
import { obeyRetainKeys, type MergeTarget } from "./retain-keys.ts";

/** The type of the object that is patched, or that the patch which is patched is for. */
export interface MergeContext {
  readonly type: TypeSchema;
  readonly target: MergeTarget;
}

/** Merges a patch into an object, or into another patch. */
export function mergeObjects(original: JsonObject, patch: JsonObject, context: MergeContext): JsonObject {
  const directive = getOwn(patch, patchDirective);
  if (directive !== undefined) return obeyDirective(directive, patch);
  const retained = obeyRetainKeys(original, patch, context.target);
  const mergeItems = (item: JsonObject, itemPatch: JsonObject, type: TypeSchema): JsonObject =>
    mergeObjects(item, itemPatch, { ...context, type });
  const ordered = mergeOrderedLists(retained.original, retained.patch, { ...context, mergeItems });
  const merged = { ...ordered.original };
  // In order, so that what is both deleted from a list and added to it is there in the end.
  for (const key of Object.keys(ordered.patch).toSorted(compareText)) {
    const value = ordered.patch[key];
    if (!key.startsWith(deleteFromPrimitiveList)) {
      mergeField(merged, { key, value, deletes: false }, context);
    } else if (context.target === "patch") {
      setOwn(merged, key, value);
    } else {
      const name = fieldOf(key, deleteFromPrimitiveList);
      if (name === undefined) throw badPrimitiveList();
      mergeField(merged, { key: name, value, deletes: true }, context);
    }
  }
  return merged;
}

function obeyDirective(directive: unknown, patch: JsonObject): JsonObject {
  if (directive === "delete") return {};
  if (directive !== "replace") throw badDirective(directive, patch);
  const { [patchDirective]: _, ...rest } = patch;
  return rest;
}

interface PatchedField {
  readonly key: string;
  readonly value: unknown;
  /** Whether the value is a list of what is to be deleted. */
  readonly deletes: boolean;
}

function mergeField(merged: JsonObject, { key, value, deletes }: PatchedField, context: MergeContext): void {
  const live = getOwn(merged, key);
  if (value === null) {
    if (context.target === "object") delete merged[key];
    else setOwn(merged, key, null);
  } else if (live === undefined || goType(live) !== goType(value)) {
    if (!deletes) replaceField(merged, key, context.target === "object" ? withoutNulls(value) : value);
  } else if (isJsonObject(live) && isJsonObject(value)) {
    const { type, strategy } = objectField(context.type, key);
    setOwn(merged, key, strategy === "replace" ? value : mergeObjects(live, value, { ...context, type }));
  } else if (isJsonList(live) && isJsonList(value)) {
    const field = listField(context.type, key);
    const mergeItems = (item: JsonObject, patch: JsonObject): JsonObject =>
      mergeObjects(item, patch, { ...context, type: field.type });
    if (deletes) setOwn(merged, key, deleteFromList(live, value, { field, mergeItems }));
    else
      setOwn(
        merged,
        key,
        field.strategy === "merge" ? mergeLists(live, value, { field, mergeItems }) : value,
      );
  } else {
    replaceField(merged, key, value);
  }
}

/** Sets a value that there is nothing to merge with. */
function replaceField(merged: JsonObject, key: string, value: unknown): void {
  const plain = withoutDirectives(value);
  if (plain === undefined) delete merged[key];
  else setOwn(merged, key, plain);
}
