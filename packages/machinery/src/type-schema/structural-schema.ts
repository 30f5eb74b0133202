import { getOwn, isJsonList, isJsonObject, type JsonObject } from "../json-value.ts";
import { deducedSchema, untypedSchema } from "./deduced-schema.ts";
import type { FieldSchema, ListSchema, MapSchema, TypeSchema } from "./type-schema.ts";

/** What a custom resource's schema is completed with. */
export interface StructuralSchemaOptions {
  /** The schema of `metadata`: that of the built-in `ObjectMeta`. */
  readonly objectMeta: TypeSchema;
  /** `spec.preserveUnknownFields` of the CustomResourceDefinition. */
  readonly preserveUnknownFields?: boolean | undefined;
}

/**
 * The schema of objects of a custom resource, from its structural `openAPIV3Schema`. `apiVersion`, `kind` and
 * `metadata` are added here and in embedded resources, as the API server does.
 */
export function structuralSchema(schema: Readonly<JsonObject>, options: StructuralSchemaOptions): TypeSchema {
  return convert(
    { ...schema, type: "object", [embedded]: true },
    { objectMeta: options.objectMeta, preserve: options.preserveUnknownFields === true },
  );
}

const embedded = "x-kubernetes-embedded-resource";

interface Context {
  readonly objectMeta: TypeSchema;
  /** Unknown fields are kept here and everywhere below. */
  readonly preserve: boolean;
}

function convert(schema: Readonly<JsonObject>, above: Context): TypeSchema {
  const context =
    schema["x-kubernetes-preserve-unknown-fields"] === true ? { ...above, preserve: true } : above;
  const none = { name: undefined, scalar: undefined, list: undefined, map: undefined };
  switch (schema["type"]) {
    case "object":
      return { ...none, goKind: "map", map: convertObject(schema, context) };
    case "array":
      return { ...none, goKind: "slice", list: convertList(schema, context) };
    case "integer":
    case "number":
      return { ...none, goKind: "float64", scalar: "numeric" };
    case "boolean":
      return { ...none, goKind: "bool", scalar: "boolean" };
    case "string": {
      const plain = schema["format"] === undefined || schema["format"] === "" || schema["format"] === "byte";
      return { ...none, goKind: "string", scalar: plain ? "string" : "untyped" };
    }
    default:
      return {
        ...none,
        goKind: "interface",
        scalar: "untyped",
        list: convertList(schema, context),
        map: convertObject(schema, context),
      };
  }
}

function convertObject(schema: Readonly<JsonObject>, context: Context): MapSchema {
  const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
  const fields = new Map<string, FieldSchema>();
  for (const [name, property] of Object.entries(properties)) {
    if (isJsonObject(property))
      fields.set(name, field(convert(property, context), getOwn(property, "default")));
  }
  if (schema[embedded] === true) {
    fields.set("apiVersion", field(text));
    fields.set("kind", field(text));
    fields.set("metadata", field(context.objectMeta));
  }
  return {
    atomic: schema["x-kubernetes-map-type"] === "atomic",
    fieldNames: [...fields.keys()],
    field: (name) => fields.get(name),
    values: otherFields(schema["additionalProperties"], fields.size === 0, context),
  };
}

const text: TypeSchema = {
  name: undefined,
  goKind: "string",
  scalar: "string",
  list: undefined,
  map: undefined,
};

function field(type: TypeSchema, initial?: unknown): FieldSchema {
  return { type, default: initial, patchStrategies: [], patchMergeKey: "" };
}

/** An object without any description of its fields may have all fields. */
function otherFields(values: unknown, undescribed: boolean, context: Context): TypeSchema | undefined {
  if (isJsonObject(values)) return convert(values, context);
  if (values === true) return deducedSchema;
  if (values === undefined && (context.preserve || undescribed)) return deducedSchema;
  return undefined;
}

function convertList(schema: Readonly<JsonObject>, context: Context): ListSchema {
  const item = isJsonObject(schema["items"]) ? convert(schema["items"], context) : untypedSchema;
  const keys = schema["x-kubernetes-list-map-keys"];
  switch (schema["x-kubernetes-list-type"]) {
    case "set":
      return { type: "set", keys: [], item };
    case "map":
      return { type: "map", keys: isJsonList(keys) ? keys.map(String) : [], item };
    default:
      return { type: "atomic", keys: [], item };
  }
}
