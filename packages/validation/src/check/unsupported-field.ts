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
  const used = [
    ["id", schema.id],
    ["schema", schema.$schema],
    ["$ref", schema.$ref],
    ["patternProperties", schema.patternProperties],
    ["dependencies", schema.dependencies],
    ["additionalItems", schema.additionalItems],
    ["definitions", schema.definitions],
  ] as const;
  const found = used.find(([, value]) => isUsed(value));
  if (found !== undefined) return `OpenAPIV3Schema '${found[0]}' is not supported`;
  if (Array.isArray(schema.items)) return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  if (schema["x-kubernetes-preserve-unknown-fields"] === false) {
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  }
  return undefined;
}

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
