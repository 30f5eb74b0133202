import { isJsonList, isJsonObject } from "@kedge/machinery";
import type { JsonSchema } from "../json-schema.ts";

/**
 * A schema of OpenAPI v3 as OpenAPI v2 says it. What v2 has no words for (alternatives, null) is left out, as the real
 * server does: clients of v2 refuse what they do not find, so they are told less rather than something wrong.
 */
export function swaggerSchema(schema: JsonSchema): JsonSchema {
  // v2 has one text for what may be a number, too.
  if (schema["format"] === "int-or-string") return { type: "string", format: "int-or-string" };
  if (schema["x-kubernetes-int-or-string"] === true) return { "x-kubernetes-int-or-string": true };
  const [only, ...others] = isJsonList(schema["allOf"]) ? schema["allOf"] : [];
  if (isJsonObject(only) && typeof only["$ref"] === "string" && others.length === 0) {
    const { allOf: _, ...rest } = schema;
    return { ...reference(only["$ref"]), ...described(rest) };
  }
  if (typeof schema["$ref"] === "string") return reference(schema["$ref"]);
  if (isJsonList(schema["oneOf"]) && schema["type"] === undefined) return { type: "string" };
  return plainSchema(schema);
}

/** Beside a reference only what is about the field itself counts. */
function described(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(
    Object.entries(schema).filter(([name]) => name === "description" || name.startsWith("x-kubernetes-")),
  );
}

function reference(to: string): JsonSchema {
  return { $ref: to.replace("#/components/schemas/", "#/definitions/") };
}

function plainSchema(schema: JsonSchema): JsonSchema {
  // What may be null has no type in v2, and of what keeps unknown fields none may be named.
  const isNullable = schema["nullable"] === true;
  const isOpen = isNullable || schema["x-kubernetes-preserve-unknown-fields"] === true;
  const { type } = schema;
  const isUntyped =
    isNullable || (isOpen && type === "object") || (type === "array" && (isOpen || !("items" in schema)));
  const kept = Object.entries(schema).filter(
    ([name]) =>
      !dropped.has(name) &&
      !(isUntyped && name === "type") &&
      !(isOpen && (name === "properties" || name === "items")),
  );
  return Object.fromEntries(kept.map(([name, value]) => [name, partOf(name, value)]));
}

const dropped: ReadonlySet<string> = new Set([
  "default",
  "nullable",
  "oneOf",
  "anyOf",
  "allOf",
  "not",
  "example",
  "externalDocs",
  "id",
]);

function partOf(name: string, value: unknown): unknown {
  if (name === "properties" && isJsonObject(value))
    return Object.fromEntries(Object.entries(value).map(([field, each]) => [field, inner(each)]));
  if (name === "items" || name === "additionalProperties") return inner(value);
  return value;
}

function inner(value: unknown): unknown {
  return isJsonObject(value) ? swaggerSchema(value) : value;
}
