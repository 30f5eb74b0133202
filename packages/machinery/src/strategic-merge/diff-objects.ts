import { goType } from "../go/go-format.ts";
import { deepEqual } from "../json/deep-equal.ts";
import { getOwn, isJsonList, isJsonObject, setOwn, type JsonObject } from "../json-value.ts";
import type { TypeSchema } from "../type-schema/type-schema.ts";
import { deleteFromPrimitiveList, patchDirective, retainKeys, setElementOrder } from "./directives.ts";
import { diffLists } from "./diff-lists.ts";
import { sortByText } from "./list-items.ts";
import { StrategicPatchError } from "./patch-error.ts";
import { listField, objectField } from "./patch-schema.ts";

/** What goes into a patch. */
export interface DiffContext {
  readonly type: TypeSchema;
  /** Whether what was changed or added does. */
  readonly changes: boolean;
  /** Whether what was deleted does. */
  readonly deletions: boolean;
  /** Whether it says which keys are left. */
  readonly retainKeys: boolean;
}

/** The patch from one object to another. */
export function diffObjects(original: JsonObject, modified: JsonObject, context: DiffContext): JsonObject {
  const patch: JsonObject = {};
  for (const [key, value] of Object.entries(modified)) {
    if (value !== undefined) diffField(patch, { key, before: getOwn(original, key), after: value }, context);
  }
  const gone = Object.keys(original).filter(
    (key) => original[key] !== undefined && getOwn(modified, key) === undefined,
  );
  if (context.deletions) for (const key of gone) setOwn(patch, key, null);
  const kept = Object.keys(modified).filter((key) => (modified[key] ?? null) !== null);
  const anyGone = gone.some((key) => original[key] !== null);
  if (context.retainKeys && kept.length > 0 && (Object.keys(patch).length > 0 || anyGone)) {
    patch[retainKeys] = sortByText(kept, (key) => key);
  }
  return patch;
}

interface FieldChange {
  readonly key: string;
  readonly before: unknown;
  readonly after: unknown;
}

function diffField(patch: JsonObject, { key, before, after }: FieldChange, context: DiffContext): void {
  if (before !== undefined && key === patchDirective) {
    if (typeof before !== "string" || typeof after !== "string") {
      throw new StrategicPatchError(`invalid value for special key: ${patchDirective}`);
    }
    if (before !== after) patch[key] = after;
  } else if (before === undefined || goType(before) !== goType(after)) {
    if (context.changes) setOwn(patch, key, after);
  } else if (isJsonObject(before) && isJsonObject(after)) {
    diffObjectField(patch, { key, before, after }, context);
  } else if (isJsonList(before) && isJsonList(after)) {
    diffListField(patch, { key, before, after }, context);
  } else if (context.changes && before !== after) {
    setOwn(patch, key, after);
  }
}

function diffObjectField(
  patch: JsonObject,
  { key, before, after }: FieldChange & { readonly before: JsonObject; readonly after: JsonObject },
  context: DiffContext,
): void {
  const field = lookUp(objectField, { key, before, after }, context);
  if (field === undefined) return;
  if (field.strategy === "replace") {
    if (context.changes) setOwn(patch, key, after);
    return;
  }
  const inner = diffObjects(before, after, { ...context, type: field.type, retainKeys: field.retainKeys });
  if (Object.keys(inner).length > 0) setOwn(patch, key, inner);
}

function diffListField(
  patch: JsonObject,
  {
    key,
    before,
    after,
  }: FieldChange & { readonly before: readonly unknown[]; readonly after: readonly unknown[] },
  context: DiffContext,
): void {
  const field = lookUp(listField, { key, before, after }, context);
  if (field === undefined) return;
  if (field.strategy !== "merge") {
    if (context.changes && !deepEqual(before, after)) setOwn(patch, key, after);
    return;
  }
  const diffItems = (item: JsonObject, modified: JsonObject): JsonObject =>
    diffObjects(item, modified, { ...context, type: field.type, retainKeys: field.retainKeys });
  const { items, deletions, order } = diffLists(before, after, {
    ...context,
    mergeKey: field.mergeKey,
    diffItems,
  });
  if (items.length > 0) setOwn(patch, key, items);
  if (deletions.length > 0) patch[`${deleteFromPrimitiveList}/${key}`] = deletions;
  if (order.length > 0) patch[`${setElementOrder}/${key}`] = order;
}

/** A field that is not known does not matter as long as it does not change. */
function lookUp<T>(
  find: (type: TypeSchema, key: string) => T,
  { key, before, after }: FieldChange,
  { type }: DiffContext,
): T | undefined {
  try {
    return find(type, key);
  } catch (error) {
    if (deepEqual(before, after)) return undefined;
    throw error;
  }
}
