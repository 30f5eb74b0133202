import { isJsonList, isJsonObject, setOwn, type JsonObject } from "../json-value.ts";
import { fieldType, type ListSchema, type MapSchema, type TypeSchema } from "../type-schema/type-schema.ts";
import { below, isEmptySet, type FieldSet } from "./field-set.ts";
import { itemElementOrNone } from "./list-item.ts";
import { fieldElement } from "./path-element.ts";
import { kindOf } from "./value-kind.ts";

/**
 * A value without the members of a set, and without what is below them. Null where all items of an object or list that
 * is no member itself are gone, or an atomic one has lost some.
 */
export function removeItems(schema: TypeSchema, value: unknown, set: FieldSet): unknown {
  switch (kindOf(schema, value)) {
    case "map":
      return isJsonObject(value) && schema.map?.atomic === false
        ? removeFields(value, schema.map, set)
        : null;
    case "list":
      return isJsonList(value) && schema.list !== undefined && schema.list.type !== "atomic"
        ? removeFromList(value, schema.list, set)
        : null;
    default:
      return value;
  }
}

function removeFields(object: JsonObject, map: MapSchema, set: FieldSet): JsonObject | null {
  const kept: JsonObject = {};
  for (const [key, value] of Object.entries(object)) {
    const element = fieldElement(key);
    if (value === undefined || set.members.has(element)) continue;
    const inner = below(set, element);
    const type = fieldType(map, key);
    setOwn(kept, key, isEmptySet(inner) || type === undefined ? value : removeItems(type, value, inner));
  }
  return Object.keys(kept).length === 0 ? null : kept;
}

function removeFromList(
  items: readonly unknown[],
  list: ListSchema,
  set: FieldSet,
): readonly unknown[] | null {
  const kept: unknown[] = [];
  for (const item of items) {
    const element = itemElementOrNone(list, item);
    if (set.members.has(element)) continue;
    const inner = below(set, element);
    kept.push(isEmptySet(inner) ? item : removeItems(list.item, item, inner));
  }
  return kept.length === 0 ? null : kept;
}
