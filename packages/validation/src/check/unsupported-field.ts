import { additionalOf, itemsOf, propertiesOf, type JsonSchema } from "../json-schema.ts";

/** Says which part of JSON schema is used that structural schemas cannot have; undefined when none is. */
export function unsupportedField(schema: JsonSchema): string | undefined {
  const own = unsupportedHere(schema);
  if (own !== undefined) return own;
  for (const part of partsOf(schema)) {
    const found = unsupportedField(part);
    if (found !== undefined) return found;
  }
  return undefined;
}

function unsupportedHere(schema: JsonSchema): string | undefined {
  const found = unsupportedNames.find((name) => isUsed(schema[name]));
  if (found !== undefined) {
    return `OpenAPIV3Schema '${found === "$schema" ? "schema" : found}' is not supported`;
  }
  if (Array.isArray(schema.items)) return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  if (schema["x-kubernetes-preserve-unknown-fields"] === false) {
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  }
  return undefined;
}

const unsupportedNames = [
  "id",
  "$schema",
  "$ref",
  "patternProperties",
  "dependencies",
  "additionalItems",
  "definitions",
] as const;

function isUsed(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length > 0;
  return value !== undefined && value !== null && value !== "";
}

function partsOf(schema: JsonSchema): JsonSchema[] {
  return [
    schema.not,
    ...(schema.allOf ?? []),
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
    itemsOf(schema),
    ...propertiesOf(schema).map(([, part]) => part),
    additionalOf(schema),
  ].filter((part) => part !== undefined);
}
