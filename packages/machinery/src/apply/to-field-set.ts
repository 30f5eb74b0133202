import { isJsonList, isJsonObject, type JsonObject } from "../json/json.ts";
import { fieldType, type ListSchema, type MapSchema, type TypeSchema } from "../type-schema/type-schema.ts";
import { insert, newSet, type FieldPath, type FieldSet, type GrowingSet } from "./field-set.ts";
import { itemElementOrNone } from "./list-item.ts";
import { fieldElement } from "./path-element.ts";
import { kindOf } from "./value-kind.ts";

/**
 * All fields that a value says something of: its leaves, the items of its lists, the keys of its maps. Structs are not
 * members themselves, unless they are empty.
 */
export function toFieldSet(schema: TypeSchema, value: unknown): FieldSet {
  const set = newSet();
  visit(value, schema, { set, path: [] });
  return set;
}

interface Walk {
  readonly set: GrowingSet;
  readonly path: FieldPath;
}

function visit(value: unknown, schema: TypeSchema, walk: Walk): void {
  switch (kindOf(schema, value)) {
    case "map":
      if (schema.map !== undefined) visitMap(value, schema.map, walk);
      return;
    case "list":
      if (schema.list !== undefined) visitList(value, schema.list, walk);
      return;
    default:
      insert(walk.set, walk.path);
  }
}

function visitMap(value: unknown, map: MapSchema, { set, path }: Walk): void {
  if (map.atomic) {
    insert(set, path);
    return;
  }
  if (!isJsonObject(value)) return;
  for (const key in value) {
    const item = value[key];
    if (item === undefined) continue;
    const type = fieldType(map, key);
    if (type === undefined) throw new TypeError(`.${key}: field not declared in schema`);
    const itemPath = [...path, fieldElement(key)];
    visit(item, type, { set, path: itemPath });
    if (item === null || (isJsonObject(item) && isEmpty(item)) || map.field(key) === undefined) {
      insert(set, itemPath);
    }
  }
}

function visitList(value: unknown, list: ListSchema, { set, path }: Walk): void {
  if (list.type === "atomic") {
    insert(set, path);
    return;
  }
  if (!isJsonList(value)) return;
  const elements = value.map((item) => itemElementOrNone(list, item));
  const seen = new Set<string>();
  const duplicates = new Set<string>();
  for (const element of elements) (seen.has(element) ? duplicates : seen).add(element);
  for (const [index, element] of elements.entries()) {
    const itemPath = [...path, element];
    // Items of the same key are owned as one, whatever they hold.
    if (!duplicates.has(element)) visit(value[index], list.item, { set, path: itemPath });
    insert(set, itemPath);
  }
}

function isEmpty(object: JsonObject): boolean {
  for (const key in object) if (object[key] !== undefined) return false;
  return true;
}
