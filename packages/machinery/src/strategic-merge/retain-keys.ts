import { goFormatV } from "../go/go-format.ts";
import { deepEqual } from "../json/deep-equal.ts";
import { getOwn, isJsonList, type JsonObject } from "../json-value.ts";
import { deleteFromPrimitiveList, retainKeys, setElementOrder } from "./directives.ts";
import { badRetainKeys, StrategicPatchError } from "./patch-error.ts";

/** What a patch is merged into: an object, or another patch that will be applied later. */
export type MergeTarget = "object" | "patch";

/** An object or patch, and the patch that is to be merged into it. */
export interface MergePair {
  readonly original: JsonObject;
  readonly patch: JsonObject;
}

/** Removes what `$retainKeys` does not name, and takes the directive out of the patch. */
export function obeyRetainKeys(original: JsonObject, patch: JsonObject, target: MergeTarget): MergePair {
  const { [retainKeys]: keys, ...rest } = patch;
  if (keys === undefined) return { original, patch };
  if (target === "patch") return { original: keepRetainKeys(original, keys), patch: rest };
  if (!isJsonList(keys)) throw badRetainKeys();
  const kept = new Set(keys);
  for (const [key, value] of Object.entries(rest)) {
    const exempt =
      value === null || key.startsWith(deleteFromPrimitiveList) || key.startsWith(setElementOrder);
    if (!exempt && !kept.has(key)) throw badRetainKeys();
  }
  const retained = Object.entries(original).filter(([key]) => kept.has(key));
  return { original: Object.fromEntries(retained), patch: rest };
}

function keepRetainKeys(original: JsonObject, keys: unknown): JsonObject {
  const own = getOwn(original, retainKeys);
  if (own === undefined) return { ...original, [retainKeys]: keys };
  if (deepEqual(own, keys)) return original;
  throw new StrategicPatchError(
    `${goFormatV(own)} and ${goFormatV(keys)} are not deep equal: this may happen when calculating the 3-way diff patch`,
  );
}
