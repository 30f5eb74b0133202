import { isJsonList, isJsonObject } from "@kedge/machinery";

/** Whether a schema fills in anything anywhere. */
export function schemaHasDefaults(schema: unknown): boolean {
  if (isJsonList(schema)) return schema.some(schemaHasDefaults);
  if (!isJsonObject(schema)) return false;
  if (schema["default"] !== undefined) return true;
  const { properties, ...rest } = schema;
  return (
    ["items", "allOf", "anyOf", "oneOf", "not", "additionalProperties"].some((name) =>
      schemaHasDefaults(rest[name]),
    ) ||
    (isJsonObject(properties) && Object.values(properties).some(schemaHasDefaults))
  );
}
