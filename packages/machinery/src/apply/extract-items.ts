import { isJsonList, isJsonObject, setOwn, type JsonObject } from "../json-value.ts";
import { fieldType, type ListSchema, type MapSchema, type TypeSchema } from "../type-schema/type-schema.ts";
import { below, isEmptySet, type FieldSet } from "./field-set.ts";
import { itemElementOrNone } from "./list-item.ts";
import { fieldElement } from "./path-element.ts";
import { kindOf } from "./value-kind.ts";

/** Only those parts of a value that are members of a set: give it the set's `leaves`. Null when there are none. */
export function extractItems(schema: TypeSchema, value: unknown, set: FieldSet): unknown {
  switch (kindOf(schema, value)) {
    case "map": {
      if (!isJsonObject(value) || schema.map === undefined) return null;
      const whole = schema.map.atomic || Object.keys(value).length === 0;
      return whole ? value : extractFields(value, schema.map, set);
    }
    case "list": {
      if (!isJsonList(value) || schema.list === undefined) return null;
      const whole = schema.list.type === "atomic" || value.length === 0;
      return whole ? value : extractFromList(value, schema.list, set);
    }
    default:
      return value;
  }
}

function extractFields(object: JsonObject, map: MapSchema, set: FieldSet): JsonObject | null {
  const kept: JsonObject = {};
  for (const [key, value] of Object.entries(object)) {
    const element = fieldElement(key);
    const type = fieldType(map, key);
    if (value === undefined || type === undefined) continue;
    const inner = below(set, element);
    if (set.members.has(element)) setOwn(kept, key, extractItems(type, value, set));
    else if (!isEmptySet(inner)) setOwn(kept, key, extractItems(type, value, inner));
  }
  return Object.keys(kept).length === 0 ? null : kept;
}

function extractFromList(
  items: readonly unknown[],
  list: ListSchema,
  set: FieldSet,
): readonly unknown[] | null {
  const kept: unknown[] = [];
  for (const item of items) {
    const element = itemElementOrNone(list, item);
    const inner = below(set, element);
    if (!isEmptySet(inner)) kept.push(extractItems(list.item, item, inner));
    else if (set.members.has(element)) kept.push(item);
  }
  return kept.length === 0 ? null : kept;
}
