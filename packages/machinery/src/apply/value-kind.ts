import { isJsonList, isJsonObject } from "../json-value.ts";
import type { TypeSchema } from "../type-schema/type-schema.ts";

/** Which of a type's possibilities a value is treated as. */
export type ValueKind = "map" | "scalar" | "list" | "nothing";

/** Decides how a value is treated. One that is of no kind that its type allows counts as the first that is allowed. */
export function kindOf({ list, map, scalar }: TypeSchema, value: unknown): ValueKind {
  if (isJsonList(value)) {
    if (list !== undefined) return "list";
  } else if (isJsonObject(value)) {
    if (map !== undefined) return "map";
  } else if (value !== null && value !== undefined && scalar !== undefined) {
    return "scalar";
  }
  if (map !== undefined) return "map";
  if (scalar !== undefined) return "scalar";
  return list === undefined ? "nothing" : "list";
}
