import { isJsonObject } from "@kedge/machinery";
import type { JsonSchema } from "../json-schema.ts";

type Rule = NonNullable<JsonSchema["x-kubernetes-validations"]>[number];

/** A schema as a bad value: the server prints its own struct, all its fields in their order. */
export function schemaStruct(schema: JsonSchema): Struct {
  const rules = schema["x-kubernetes-validations"];
  return struct({
    ID: schema.id ?? "",
    Schema: schema.$schema ?? "",
    Ref: schema.$ref ?? null,
    Description: schema.description ?? "",
    Type: schema.type ?? "",
    Nullable: schema.nullable ?? false,
    Format: schema.format ?? "",
    Title: schema.title ?? "",
    Default: schema.default ?? null,
    Maximum: schema.maximum ?? null,
    ExclusiveMaximum: schema.exclusiveMaximum ?? false,
    Minimum: schema.minimum ?? null,
    ExclusiveMinimum: schema.exclusiveMinimum ?? false,
    MaxLength: schema.maxLength ?? null,
    MinLength: schema.minLength ?? null,
    Pattern: schema.pattern ?? "",
    MaxItems: schema.maxItems ?? null,
    MinItems: schema.minItems ?? null,
    UniqueItems: schema.uniqueItems ?? false,
    MultipleOf: schema.multipleOf ?? null,
    Enum: schema.enum ?? null,
    MaxProperties: schema.maxProperties ?? null,
    MinProperties: schema.minProperties ?? null,
    Required: schema.required ?? null,
    Items: schema.items === undefined ? null : itemsStruct(schema.items),
    AllOf: schema.allOf?.map(schemaStruct) ?? null,
    OneOf: schema.oneOf?.map(schemaStruct) ?? null,
    AnyOf: schema.anyOf?.map(schemaStruct) ?? null,
    Not: schema.not === undefined ? null : schemaStruct(schema.not),
    Properties: mapStruct(schema.properties),
    AdditionalProperties: boolStruct(schema.additionalProperties),
    PatternProperties: mapStruct(schema.patternProperties),
    Dependencies: schema.dependencies ?? null,
    AdditionalItems: boolStruct(schema.additionalItems),
    Definitions: mapStruct(schema.definitions),
    ExternalDocs:
      schema.externalDocs === undefined
        ? null
        : struct({ Description: schema.externalDocs.description ?? "", URL: schema.externalDocs.url ?? "" }),
    Example: schema.example ?? null,
    XPreserveUnknownFields: schema["x-kubernetes-preserve-unknown-fields"] ?? null,
    XEmbeddedResource: schema["x-kubernetes-embedded-resource"] ?? false,
    XIntOrString: schema["x-kubernetes-int-or-string"] ?? false,
    XListMapKeys: schema["x-kubernetes-list-map-keys"] ?? null,
    XListType: schema["x-kubernetes-list-type"] ?? null,
    XMapType: schema["x-kubernetes-map-type"] ?? null,
    XValidations:
      rules?.map((rule: Partial<Rule>) =>
        struct({
          Rule: rule.rule ?? "",
          Message: rule.message ?? "",
          MessageExpression: rule.messageExpression ?? "",
          Reason: rule.reason ?? null,
          FieldPath: rule.fieldPath ?? "",
          OptionalOldSelf: rule.optionalOldSelf ?? null,
        }),
      ) ?? null,
  });
}

/** In a complaint a map is printed in its own order. */
type Struct = ReadonlyMap<string, unknown>;

function struct(fields: Readonly<Record<string, unknown>>): Struct {
  return new Map(Object.entries(fields));
}

function itemsStruct(items: NonNullable<JsonSchema["items"]>): unknown {
  return isList(items)
    ? struct({ Schema: null, JSONSchemas: items.map(schemaStruct) })
    : struct({ Schema: schemaStruct(items), JSONSchemas: null });
}

function isList(items: NonNullable<JsonSchema["items"]>): items is readonly JsonSchema[] {
  return Array.isArray(items);
}

function mapStruct(schemas: JsonSchema["properties"]): unknown {
  if (schemas === undefined) return null;
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, schemaStruct(schema)]));
}

function boolStruct(value: JsonSchema["additionalProperties"]): unknown {
  if (value === undefined) return null;
  return isJsonObject(value)
    ? struct({ Allows: true, Schema: schemaStruct(value) })
    : struct({ Allows: value, Schema: null });
}
