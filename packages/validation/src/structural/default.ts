import { clone, isJsonList, isJsonObject, setOwn, type JsonObject } from "@kedge/machinery";
import { fieldOf, type Structural } from "./structural.ts";

/** Fills in the defaults of the schema for fields that are missing, or null where null is not allowed. In place. */
export function applyDefaults(value: unknown, shape: Structural | undefined): void {
  if (shape === undefined || !shape.below.defaults) return;
  if (isJsonObject(value)) defaultObject(value, shape);
  else if (isJsonList(value)) {
    for (const [index, item] of value.entries()) {
      if (item === null && shape.items?.nullable === false) value[index] = copyOf(shape.items.default);
      applyDefaults(value[index], shape.items);
    }
  }
}

function defaultObject(object: JsonObject, shape: Structural): void {
  for (const [name, property] of shape.properties) {
    if (property.default === undefined) continue;
    const missing = !Object.hasOwn(object, name) || (object[name] === null && !property.nullable);
    if (missing) setOwn(object, name, copyOf(property.default));
  }
  for (const key of Object.keys(object)) {
    const property = shape.properties.get(key);
    if (property !== undefined) {
      applyDefaults(object[key], property);
      continue;
    }
    const other = shape.additional?.schema;
    if (other === undefined) continue;
    if (object[key] === null && !other.nullable) setOwn(object, key, copyOf(other.default));
    applyDefaults(object[key], other);
  }
}

function copyOf(value: unknown): unknown {
  return value === undefined ? null : clone(value);
}

/** Drops fields that are null where the schema neither allows that nor has a default. In place. */
export function dropNulls(value: unknown, shape: Structural | undefined): void {
  if (isJsonList(value)) {
    for (const item of value) dropNulls(item, shape?.items);
    return;
  }
  if (!isJsonObject(value)) return;
  for (const key of Object.keys(value)) {
    const part = fieldOf(shape, key);
    if (value[key] !== null) {
      if (part !== undefined) dropNulls(value[key], part);
    } else if (part !== undefined && !part.nullable && part.default === undefined) {
      delete value[key];
    }
  }
}
