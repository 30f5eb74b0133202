import {
  deepEqual,
  fieldForbidden,
  fieldInvalid,
  fieldPath,
  fieldTooLong,
  validateConfigMapKey,
  type FieldError,
} from "@kedge/machinery";
import { ConfigMap } from "@kedge/machinery/kinds/core/v1";
import type { StoredApiObject } from "../../registry/types.ts";
import { decodedAs } from "../../registry/decoded.ts";
import { named } from "../validation/field-rules.ts";

/** What is wrong with a config map by itself. */
export function validateConfigMap(object: StoredApiObject): FieldError[] {
  const { data = {}, binaryData = {} } = decodedAs(ConfigMap, object);
  const size = sizeOfTexts(data) + sizeOfBytes(binaryData);
  return [
    ...Object.keys(data).flatMap((key) => [
      ...named(key, validateConfigMapKey, fieldPath("data").key(key)),
      ...(Object.hasOwn(binaryData, key)
        ? [fieldInvalid(fieldPath("data").key(key), key, "duplicate of key present in binaryData")]
        : []),
    ]),
    ...Object.keys(binaryData).flatMap((key) =>
      named(key, validateConfigMapKey, fieldPath("binaryData").key(key)),
    ),
    ...(size > maxBytes ? [fieldTooLong("[]", maxBytes)] : []),
  ];
}

/** What is wrong with changing a config map so. */
export function validateConfigMapUpdate(object: StoredApiObject, previous: StoredApiObject): FieldError[] {
  return validateImmutableData(object, previous, ["data", "binaryData"]);
}

/** Once `immutable` is set it stays, and so does the data. */
export function validateImmutableData(
  object: StoredApiObject,
  previous: StoredApiObject,
  fields: readonly string[],
): FieldError[] {
  if (previous["immutable"] !== true) return [];
  const changed = fields.filter((field) => !deepEqual(object[field], previous[field]));
  return [...(object["immutable"] === true ? [] : ["immutable"]), ...changed].map((field) =>
    fieldForbidden(field, "field is immutable when `immutable` is set"),
  );
}

/** The most that config maps and secrets may hold. */
export const maxBytes: number = 1024 * 1024;

/** How many bytes the values of a map of base64 hold. */
export function sizeOfBytes(values: Readonly<Record<string, string | undefined>>): number {
  return Object.values(values).reduce((sum, value) => sum + Buffer.byteLength(value ?? "", "base64"), 0);
}

function sizeOfTexts(values: Readonly<Record<string, string | undefined>>): number {
  return Object.values(values).reduce((sum, value) => sum + Buffer.byteLength(value ?? ""), 0);
}
