import {
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import { hasDefault, itemsOf, propertyOf, type JsonSchema } from "../json-schema.ts";

/** What `x-kubernetes-list-type`, `-list-map-keys` and `-map-type` ask of a schema. */
export function checkListTypes(schema: JsonSchema, path: FieldPath): FieldError[] {
  return [
    ...checkMapType(schema, path),
    ...checkListType(schema, path),
    ...checkListMap(schema, path),
    ...checkKeys(schema, path),
  ];
}

function checkMapType(schema: JsonSchema, path: FieldPath): FieldError[] {
  const mapType = schema["x-kubernetes-map-type"];
  if (mapType === undefined) return [];
  return [
    ...checkType(schema, "object", "must be object if x-kubernetes-map-type is specified", path),
    ...(mapType === "atomic" || mapType === "granular"
      ? []
      : [fieldNotSupported(path.child("x-kubernetes-map-type"), mapType, ["atomic", "granular"])]),
  ];
}

function checkType(schema: JsonSchema, type: string, detail: string, path: FieldPath): FieldError[] {
  if (schema.type === type) return [];
  const place = path.child("type");
  return [
    (schema.type ?? "") === "" ? fieldRequired(place, detail) : fieldInvalid(place, schema.type, detail),
  ];
}

function checkListType(schema: JsonSchema, path: FieldPath): FieldError[] {
  const listType = schema["x-kubernetes-list-type"];
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const place = path.child("x-kubernetes-list-type");
  const errors: FieldError[] = [];
  if (listType !== undefined) {
    const wrongType = checkType(
      schema,
      "array",
      "must be array if x-kubernetes-list-type is specified",
      path,
    );
    for (const error of wrongType.length > 0 ? wrongType : checkSetItems(schema, path)) errors.push(error);
    if (!["atomic", "set", "map"].includes(listType)) {
      errors.push(fieldNotSupported(place, listType, ["atomic", "set", "map"]));
    }
  }
  if (keys.length > 0 && listType !== "map") {
    const detail = "must be map if x-kubernetes-list-map-keys is non-empty";
    errors.push(
      listType === undefined ? fieldRequired(place, detail) : fieldInvalid(place, listType, detail),
    );
  }
  return errors;
}

/** Items of sets are compared as a whole, so they must be atomic. */
function checkSetItems(schema: JsonSchema, path: FieldPath): FieldError[] {
  const items = itemsOf(schema);
  if (schema["x-kubernetes-list-type"] !== "set" || items === undefined) return [];
  const detail = "must be atomic as item of a list with x-kubernetes-list-type=set";
  const listType = items["x-kubernetes-list-type"];
  if (items.type === "array" && listType !== undefined && listType !== "atomic") {
    return [fieldInvalid(path.child("items", "x-kubernetes-list-type"), listType, detail)];
  }
  if (items.type === "object" && items["x-kubernetes-map-type"] !== "atomic") {
    // The server prints the list type here.
    return [fieldInvalid(path.child("items", "x-kubernetes-map-type"), listType ?? null, detail)];
  }
  return [];
}

function checkListMap(schema: JsonSchema, path: FieldPath): FieldError[] {
  if (schema["x-kubernetes-list-type"] !== "map") return [];
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const items = itemsOf(schema);
  const place = path.child("x-kubernetes-list-map-keys");
  const errors: FieldError[] = [];
  if (keys.length === 0) {
    errors.push(fieldRequired(place, "must not be empty if x-kubernetes-list-type is map"));
  }
  if (schema.items === undefined) {
    errors.push(fieldRequired(path.child("items"), "must have a schema if x-kubernetes-list-type is map"));
  }
  if (items === undefined) return errors;
  if (items.type !== "object") {
    const detail = "must be object if parent array's x-kubernetes-list-type is map";
    return [...errors, fieldInvalid(path.child("items", "type"), items.type ?? "", detail)];
  }
  const seen = new Set<string>();
  for (const key of keys) {
    const property = propertyOf(items, key);
    if (property === undefined) {
      errors.push(fieldInvalid(place, keys, "entries must all be names of item properties"));
    } else if (property.type === "array" || property.type === "object") {
      const detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      errors.push(fieldInvalid(path.child("items", "properties").key(key).child("type"), items.type, detail));
    }
    if (seen.has(key)) errors.push(fieldInvalid(place, keys, "must not contain duplicate entries"));
    seen.add(key);
  }
  return errors;
}

/** Items of sets and maps, and the keys that tell them apart, must be there. */
function checkKeys(schema: JsonSchema, path: FieldPath): FieldError[] {
  const listType = schema["x-kubernetes-list-type"] ?? "";
  const items = itemsOf(schema);
  if (items === undefined || (listType !== "set" && listType !== "map")) return [];
  const errors: FieldError[] = [];
  if (items.nullable === true) {
    const detail = `cannot be nullable when x-kubernetes-list-type is ${listType}`;
    errors.push(fieldForbidden(path.child("items", "nullable"), detail));
  }
  if (listType === "set") return errors;
  const required = new Set(items.required);
  for (const key of schema["x-kubernetes-list-map-keys"] ?? []) {
    const property = propertyOf(items, key);
    if (property === undefined) continue;
    const place = path.child("items", "properties").key(key);
    if (!required.has(key) && !hasDefault(property)) {
      const detail =
        "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property";
      errors.push(fieldRequired(place.child("default"), detail));
    }
    if (property.nullable === true) {
      const detail = "this property is in x-kubernetes-list-map-keys, so it cannot be nullable";
      errors.push(fieldForbidden(place.child("nullable"), detail));
    }
  }
  return errors;
}
