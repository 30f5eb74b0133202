import { isObject, objectAt, type JsonObject } from "./json.ts";

/**
 * An object of a built-in kind after a trip through its Go type: empty lists and maps are left out, and null in a map
 * is the zero value. Empty structs stay.
 */
export function asBuiltin(object: JsonObject): JsonObject {
  return typed(object) as JsonObject;
}

/** An object of a custom kind after that trip: only its metadata has a type. */
export function asCustom(object: JsonObject): JsonObject {
  return { ...object, metadata: asBuiltin(objectAt(object, "metadata")) };
}

/** The maps of built-in kinds, and their zero values. Everything else that is an object is a struct. */
const maps = new Map([
  ...["labels", "annotations", "matchLabels", "nodeSelector", "data", "binaryData"].map(
    (key) => [key, ""] as const,
  ),
  ...["limits", "requests", "capacity"].map((key) => [key, "0"] as const),
]);

function typed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(typed);
  if (!isObject(value)) return value;
  const fields = Object.entries(value).map(([key, child]) => {
    // What managedFields hold has keys of its own.
    if (key === "managedFields") return [key, child] as const;
    const zero = maps.get(key) ?? (key === "selector" && isTextMap(child) ? "" : undefined);
    return [key, zero !== undefined && isObject(child) ? mapOf(child, zero) : typed(child)] as const;
  });
  return Object.fromEntries(fields.filter(([, child]) => child !== null && !isEmptyList(child)));
}

/** A service's selector is a map, that of others a struct. */
function isTextMap(value: unknown): boolean {
  return (
    isObject(value) && Object.values(value).every((child) => child === null || typeof child === "string")
  );
}

function mapOf(values: JsonObject, zero: string): JsonObject | null {
  const entries = Object.entries(values).map(([key, value]) => [key, value ?? zero]);
  return entries.length === 0 ? null : (Object.fromEntries(entries) as JsonObject);
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
