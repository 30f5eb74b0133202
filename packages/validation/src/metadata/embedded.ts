import {
  clone,
  fieldInvalid,
  FieldPath,
  fieldRequired,
  isJsonList,
  isJsonObject,
  validateDns1035Label,
  validatePathSegmentName,
  validatePathSegmentPrefix,
  type FieldError,
  type JsonObject,
  type ObjectMeta,
} from "@kedge/machinery";
import type { Structural } from "../structural/structural.ts";
import { coerceObjectMeta } from "./object-meta-type.ts";
import { validateObjectMeta } from "./validate-object-meta.ts";

/**
 * Decodes apiVersion, kind and metadata of embedded objects, in place. Gives the paths of the unknown fields of
 * metadata that were dropped, or the first that does not fit its type.
 */
export function coerceEmbedded(value: unknown, shape: Structural): string[] | FieldError {
  const unknown: string[] = [];
  const error = coerce(value, shape, undefined, unknown);
  return error ?? unknown.toSorted();
}

function coerce(
  value: unknown,
  shape: Structural | undefined,
  path: FieldPath | undefined,
  unknown: string[],
): FieldError | undefined {
  if (shape === undefined || !(shape.embedded || shape.below.embedded)) return undefined;
  if (isJsonObject(value) && shape.embedded) {
    const error = coerceMeta(value, path, unknown);
    if (error !== undefined) return error;
  }
  for (const { part, partShape, partPath } of partsOf(value, shape, path)) {
    const error = coerce(part, partShape, partPath, unknown);
    if (error !== undefined) return error;
  }
  return undefined;
}

function coerceMeta(
  object: JsonObject,
  path: FieldPath | undefined,
  unknown: string[],
): FieldError | undefined {
  for (const key of ["apiVersion", "kind"]) {
    if (Object.hasOwn(object, key) && typeof object[key] !== "string") {
      return fieldInvalid(child(path, key), object[key], "must be a string");
    }
  }
  if (!Object.hasOwn(object, "metadata")) return undefined;
  const place = child(path, "metadata");
  const coerced = coerceObjectMeta(object["metadata"]);
  if (coerced.error !== undefined) return fieldInvalid(place, object["metadata"], coerced.error);
  for (const field of coerced.unknown) unknown.push(`${place.toString()}.${field}`);
  return undefined;
}

/** All that is wrong with apiVersion, kind and metadata of embedded objects. */
export function validateEmbedded(
  value: unknown,
  shape: Structural | undefined,
  path?: FieldPath,
): FieldError[] {
  if (shape === undefined || !(shape.embedded || shape.below.embedded)) return [];
  const own = isJsonObject(value) && shape.embedded ? validateResource(value, path) : [];
  return [
    ...own,
    ...partsOf(value, shape, path).flatMap(({ part, partShape, partPath }) =>
      validateEmbedded(part, partShape, partPath),
    ),
  ];
}

function validateResource(object: JsonObject, path: FieldPath | undefined): FieldError[] {
  const { apiVersion, kind, metadata } = object;
  return [
    ...(apiVersion === undefined ? [fieldRequired(child(path, "apiVersion"))] : []),
    ...(kind === undefined ? [fieldRequired(child(path, "kind"))] : []),
    ...(apiVersion === undefined ? [] : validateApiVersion(apiVersion, child(path, "apiVersion"))),
    ...(kind === undefined ? [] : validateKind(kind, child(path, "kind"))),
    ...(metadata === undefined ? [] : validateMetadata(metadata, child(path, "metadata"))),
  ];
}

function validateApiVersion(value: unknown, path: FieldPath): FieldError[] {
  if (typeof value !== "string") return [fieldInvalid(path, value, "must be a string")];
  if (value === "") return [fieldInvalid(path, value, "must not be empty")];
  if (value.split("/").length <= 2) return [];
  return [fieldInvalid(path, value, `unexpected GroupVersion string: ${value}`)];
}

function validateKind(value: unknown, path: FieldPath): FieldError[] {
  if (typeof value !== "string") return [fieldInvalid(path, value, "must be a string")];
  if (value === "") return [fieldInvalid(path, value, "must not be empty")];
  const wrong = validateDns1035Label(value.toLowerCase());
  if (wrong.length === 0) return [];
  const detail = `may have mixed case, but should otherwise match: ${wrong.join(",")}`;
  return [fieldInvalid(path, value, detail)];
}

function validateMetadata(value: unknown, path: FieldPath): FieldError[] {
  const copy: unknown = clone(value);
  const coerced = coerceObjectMeta(copy);
  if (coerced.error !== undefined) return [fieldInvalid(path, value, coerced.error)];
  const metadata = isObjectMeta(copy) ? copy : {};
  return validateObjectMeta(
    // A name is not needed here.
    { ...metadata, name: metadata.name === undefined || metadata.name === "" ? "fakename" : metadata.name },
    {
      namespaced: (metadata.namespace ?? "") !== "",
      nameRule: (name, prefix) => (prefix ? validatePathSegmentPrefix(name) : validatePathSegmentName(name)),
    },
    path,
  );
}

/** Holds after it was decoded as one. */
function isObjectMeta(value: unknown): value is ObjectMeta {
  return isJsonObject(value);
}

interface Part {
  readonly part: unknown;
  readonly partShape: Structural | undefined;
  readonly partPath: FieldPath;
}

function partsOf(value: unknown, shape: Structural, path: FieldPath | undefined): Part[] {
  if (isJsonList(value)) {
    return value.map((part, index) => ({
      part,
      partShape: shape.items,
      partPath: path === undefined ? new FieldPath(`[${index}]`) : path.index(index),
    }));
  }
  if (!isJsonObject(value)) return [];
  return Object.entries(value).map(([key, part]) => {
    const property = shape.properties.get(key);
    if (property !== undefined) return { part, partShape: property, partPath: child(path, key) };
    const partPath = path === undefined ? new FieldPath(`[${key}]`) : path.key(key);
    return { part, partShape: shape.additional?.schema, partPath };
  });
}

function child(path: FieldPath | undefined, name: string): FieldPath {
  return path === undefined ? new FieldPath(name) : path.child(name);
}
