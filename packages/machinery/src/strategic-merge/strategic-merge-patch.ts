import type { JsonObject } from "../json-value.ts";
import type { TypeSchema } from "../type-schema/type-schema.ts";
import { mergeObjects } from "./merge-objects.ts";

/**
 * Applies a strategic merge patch: as a merge patch, but lists are merged by their merge keys where their type says so,
 * and directives (`$patch`, `$retainKeys`, `$deleteFromPrimitiveList/…`, `$setElementOrder/…`) are obeyed. Neither
 * argument is changed. Throws a `StrategicPatchError`.
 */
export function strategicMergePatch(
  original: Readonly<JsonObject>,
  patch: Readonly<JsonObject>,
  schema: TypeSchema,
): JsonObject {
  return mergeObjects(original, patch, { type: schema, target: "object" });
}
