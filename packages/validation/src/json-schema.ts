import { isJsonObject, type DeepReadonly } from "@kedge/machinery";
import type { JSONSchemaProps } from "@kedge/machinery/kinds/apiextensions/v1";

/** A schema as `openAPIV3Schema` of a CustomResourceDefinition has it. */
export type JsonSchema = DeepReadonly<JSONSchemaProps>;

/** The schema of all items; undefined when there is none, or a list of them, which CRDs may not have. */
export function itemsOf(schema: JsonSchema): JsonSchema | undefined {
  const { items } = schema;
  return isSchema(items) ? items : undefined;
}

/** The declared fields, in the order of the schema. */
export function propertiesOf(schema: JsonSchema): readonly (readonly [string, JsonSchema])[] {
  return schema.properties === undefined ? [] : Object.entries(schema.properties);
}

/** One declared field: `constructor` and its like are found only where they are declared. */
export function propertyOf(schema: JsonSchema, name: string): JsonSchema | undefined {
  const { properties } = schema;
  return properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** The schema of the fields that are not declared; undefined when any value or none is allowed. */
export function additionalOf(schema: JsonSchema): JsonSchema | undefined {
  const { additionalProperties } = schema;
  return isSchema(additionalProperties) ? additionalProperties : undefined;
}

/** A default of null is none. */
export function hasDefault(schema: JsonSchema): boolean {
  return schema.default !== undefined && schema.default !== null;
}

function isSchema(value: unknown): value is JsonSchema {
  return isJsonObject(value);
}
