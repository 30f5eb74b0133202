import { isJsonList, isJsonObject, type JsonObject } from "../json-value.ts";
import { fieldType, type ListSchema, type MapSchema, type TypeSchema } from "../type-schema/type-schema.ts";
import { newSet, type FieldSet } from "./field-set.ts";
import { insertAt, placeBelow, rootOf, type GrowingPlace } from "./growing-place.ts";
import { itemElementOrNone } from "./list-item.ts";
import { fieldElement } from "./path-element.ts";
import { kindOf } from "./value-kind.ts";

/**
 * All fields that a value says something of: its leaves, the items of its lists, the keys of its maps. Structs are not
 * members themselves, unless they are empty.
 */
export function toFieldSet(schema: TypeSchema, value: unknown): FieldSet {
  const set = newSet();
  visit(value, schema, rootOf({ all: set }));
  return set;
}

function visit(value: unknown, schema: TypeSchema, place: GrowingPlace<"all">): void {
  switch (kindOf(schema, value)) {
    case "map":
      if (schema.map !== undefined) visitMap(value, schema.map, place);
      return;
    case "list":
      if (schema.list !== undefined) visitList(value, schema.list, place);
      return;
    default:
      insertAt(place, "all");
  }
}

function visitMap(value: unknown, map: MapSchema, place: GrowingPlace<"all">): void {
  if (map.atomic) {
    insertAt(place, "all");
    return;
  }
  if (!isJsonObject(value)) return;
  for (const key in value) {
    const item = value[key];
    if (item === undefined) continue;
    const type = fieldType(map, key);
    if (type === undefined) throw new TypeError(`.${key}: field not declared in schema`);
    const below = placeBelow(place, fieldElement(key));
    visit(item, type, below);
    if (item === null || (isJsonObject(item) && isEmpty(item)) || map.field(key) === undefined) {
      insertAt(below, "all");
    }
  }
}

function visitList(value: unknown, list: ListSchema, place: GrowingPlace<"all">): void {
  if (list.type === "atomic") {
    insertAt(place, "all");
    return;
  }
  if (!isJsonList(value)) return;
  const elements = value.map((item) => itemElementOrNone(list, item));
  const seen = new Set<string>();
  const duplicates = new Set<string>();
  for (const element of elements) (seen.has(element) ? duplicates : seen).add(element);
  for (const [index, element] of elements.entries()) {
    const below = placeBelow(place, element);
    // Items of the same key are owned as one, whatever they hold.
    if (!duplicates.has(element)) visit(value[index], list.item, below);
    insertAt(below, "all");
  }
}

function isEmpty(object: JsonObject): boolean {
  for (const key in object) if (object[key] !== undefined) return false;
  return true;
}
