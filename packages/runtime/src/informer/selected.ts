import {
  fieldSelectorMatches,
  parseFieldSelector,
  parseSelector,
  selectorFromLabels,
  selectorMatches,
} from "@kedge/machinery";
import type { StoredView } from "./stored-view.ts";
import type { InformerOptions } from "./types.ts";

/** Says of which objects an informer's server-side selection is, as the server would. Throws for a broken selector. */
export function selected(options: InformerOptions): (object: StoredView) => boolean {
  const { labelSelector, fieldSelector } = options;
  const labels =
    typeof labelSelector === "object"
      ? selectorFromLabels(labelSelector)
      : parseSelector(labelSelector ?? "");
  const fields = parseFieldSelector(fieldSelector ?? "");
  return (object) =>
    selectorMatches(labels, object.metadata.labels ?? {}) &&
    fieldSelectorMatches(fields, (field) => fieldOf(object, field));
}

/** Selectable fields are plain values; their names are their paths. */
function fieldOf(object: StoredView, field: string): string | undefined {
  let value: unknown = object;
  for (const name of field.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = Reflect.get(value, name);
  }
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : undefined;
}
