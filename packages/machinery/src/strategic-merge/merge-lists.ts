import { goFormatS, goFormatV } from "../go/go-format.ts";
import { getOwn, type JsonObject } from "../json-value.ts";
import { patchDirective } from "./directives.ts";
import { holdObjects, mergeKeyOf, objectItem, placesByKey, withoutRepeats } from "./list-items.ts";
import { orderItems } from "./list-order.ts";
import { noMergeKey, StrategicPatchError } from "./patch-error.ts";
import type { PatchField } from "./patch-schema.ts";

/** How the items of a list are merged. */
export interface ListMerging {
  readonly field: PatchField;
  /** Makes one of two items with the same merge key. */
  readonly mergeItems: (original: JsonObject, patch: JsonObject) => JsonObject;
}

/** Merges the items of a patch into a list: objects by their merge key, scalars as a set. */
export function mergeLists(
  original: readonly unknown[],
  patch: readonly unknown[],
  { field, mergeItems }: ListMerging,
): readonly unknown[] {
  if (original.length === 0 && patch.length === 0) return original;
  const objects = holdObjects(original, patch);
  const key = { mergeKey: field.mergeKey, objects };
  if (!objects) {
    const merged = withoutRepeats([...original, ...patch]);
    return orderItems(merged, { patch, live: original }, key);
  }
  if (field.mergeKey === "") {
    throw new StrategicPatchError(`cannot merge lists without merge key for ${field.type.goKind}`);
  }
  const { live, items } = obeyDirectives(original, patch, field.mergeKey);
  const merged = mergeByKey(live, items, { field, mergeItems });
  // Merging may have changed a merge key, so the order is looked up in the merged items.
  return orderItems(merged, { patch: items, live: merged.slice(0, live.length) }, key);
}

function mergeByKey(
  live: readonly unknown[],
  items: readonly unknown[],
  { field: { mergeKey }, mergeItems }: ListMerging,
): unknown[] {
  const merged = [...live];
  const places = items.length === 0 ? new Map<unknown, number[]>() : placesByKey(merged, mergeKey);
  const remember = (item: unknown, place: number): void => {
    const value = getOwn(objectItem(item), mergeKey);
    if (value !== undefined)
      places.set(
        value,
        [...(places.get(value) ?? []), place].toSorted((a, b) => a - b),
      );
  };
  for (const item of items) {
    const value = mergeKeyOf(item, mergeKey);
    const [place] = places.get(value) ?? [];
    if (place === undefined) {
      remember(item, merged.push(item) - 1);
      continue;
    }
    const result = mergeItems(objectItem(merged[place]), objectItem(item));
    merged[place] = result;
    if (getOwn(result, mergeKey) === value) continue;
    const others = places.get(value)?.slice(1) ?? [];
    if (others.length === 0) places.delete(value);
    else places.set(value, others);
    remember(result, place);
  }
  return merged;
}

/**
 * The order of a live list as the server sees it after it has merged a patch into it. It merges in place: added items
 * stand where deleted ones stood, as far as there is room.
 */
export function orderAfterMerge(
  original: readonly unknown[],
  patch: readonly unknown[],
  { mergeKey }: PatchField,
): readonly unknown[] {
  if (mergeKey === "" || original.length === 0) return original;
  const { live, items } = obeyDirectives(original, patch, mergeKey);
  const places = items.length === 0 ? new Map<unknown, number[]>() : placesByKey(live, mergeKey);
  const added = items.filter((item) => !places.has(mergeKeyOf(item, mergeKey)));
  return [...live, ...added].slice(0, original.length);
}

/** Takes scalars out of a list. Objects are merged: that is what the server does with them here, too. */
export function deleteFromList(
  original: readonly unknown[],
  deletions: readonly unknown[],
  merging: ListMerging,
): readonly unknown[] {
  if (original.length === 0 && deletions.length === 0) return original;
  if (holdObjects(original, deletions)) return mergeLists(original, deletions, merging);
  const gone = new Set(deletions);
  return original.filter((item) => !gone.has(item));
}

/** Items with `$patch` delete others or replace the whole list; they are not merged themselves. */
function obeyDirectives(
  original: readonly unknown[],
  patch: readonly unknown[],
  mergeKey: string,
): { readonly live: readonly unknown[]; readonly items: readonly unknown[] } {
  const gone = new Set<unknown>();
  let replace = false;
  const items: unknown[] = [];
  for (const item of patch.map(objectItem)) {
    const directive = getOwn(item, patchDirective);
    switch (directive) {
      case undefined:
        items.push(item);
        break;
      case "delete": {
        const value = getOwn(item, mergeKey);
        if (value === undefined) throw noMergeKey(item, mergeKey);
        gone.add(value);
        break;
      }
      case "replace":
        replace = true;
        break;
      case "merge":
        throw new StrategicPatchError("merging lists cannot yet be specified in the patch");
      default:
        throw badDirective(directive, item);
    }
  }
  if (replace) return { live: items, items: [] };
  const live =
    gone.size === 0 ? original : original.filter((other) => !gone.has(getOwn(objectItem(other), mergeKey)));
  return { live, items };
}

/** `$patch` has a value that is not known here. */
export function badDirective(directive: unknown, patch: JsonObject): StrategicPatchError {
  return new StrategicPatchError(`unknown patch type: ${goFormatS(directive)} in map: ${goFormatV(patch)}`);
}
