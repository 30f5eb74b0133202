import {
  zeroScalar,
  type SchemaTable,
  type TableField,
  type TableShape,
  type TableType,
} from "@kedge/machinery/schema-table";
import { referenceTo, type JsonSchema } from "./json-schema.ts";

/**
 * The OpenAPI schema of a built-in type: what tools need of it to check, explain and merge. It has no descriptions:
 * the table does not keep them.
 */
export function typeSchema(table: SchemaTable, type: TableType): JsonSchema {
  const special = specialSchemas[type.name];
  if (special !== undefined) return special;
  if (type.shape !== undefined) return shapeSchema(table, type.shape);
  const fields = [...type.fields.values()];
  const required = fields.filter((field) => field.required).map(({ name }) => name);
  return {
    type: "object",
    ...(required.length === 0 ? {} : { required }),
    ...(fields.length === 0
      ? {}
      : { properties: Object.fromEntries(fields.map((field) => [field.name, fieldSchema(table, field)])) }),
    ...(type.kind === undefined ? {} : { "x-kubernetes-group-version-kind": [type.kind] }),
    ...(type.mapType === undefined ? {} : { "x-kubernetes-map-type": type.mapType }),
  };
}

/** The full names of the types that a type refers to directly. */
export function referencesOf(type: TableType): readonly string[] {
  if (type.name in specialSchemas) return [];
  return [...type.fields.values()].flatMap(({ shape }) => shapeReferences(shape));
}

function shapeReferences(shape: TableShape): readonly string[] {
  if (shape.is === "reference") return [shape.to];
  return shape.is === "list" || shape.is === "map" ? shapeReferences(shape.of) : [];
}

const apiextensions = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1";

/** Types that are written in more than one way. */
const specialSchemas: Readonly<Record<string, JsonSchema>> = {
  "io.k8s.apimachinery.pkg.api.resource.Quantity": { oneOf: [{ type: "string" }, { type: "number" }] },
  "io.k8s.apimachinery.pkg.util.intstr.IntOrString": {
    format: "int-or-string",
    oneOf: [{ type: "integer" }, { type: "string" }],
  },
  "io.k8s.apimachinery.pkg.runtime.RawExtension": { type: "object" },
  [`${apiextensions}.JSON`]: {},
  [`${apiextensions}.JSONSchemaPropsOrArray`]: {},
  [`${apiextensions}.JSONSchemaPropsOrBool`]: {},
  [`${apiextensions}.JSONSchemaPropsOrStringArray`]: {},
};

function fieldSchema(table: SchemaTable, field: TableField): JsonSchema {
  const { listType, mapType, patchStrategies, patchMergeKey } = field;
  const initial = field.default ?? (field.unset === "zero" ? zeroOf(table, field.shape) : undefined);
  return {
    ...shapeSchema(table, field.shape),
    ...(initial === undefined ? {} : { default: initial }),
    ...(listType === undefined ? {} : { "x-kubernetes-list-type": listType.type }),
    ...(listType?.type === "map" ? { "x-kubernetes-list-map-keys": listType.keys } : {}),
    ...(mapType === undefined ? {} : { "x-kubernetes-map-type": mapType }),
    ...(patchStrategies.length === 0 ? {} : { "x-kubernetes-patch-strategy": patchStrategies.join(",") }),
    ...(patchMergeKey === undefined ? {} : { "x-kubernetes-patch-merge-key": patchMergeKey }),
  };
}

function shapeSchema(table: SchemaTable, shape: TableShape): JsonSchema {
  switch (shape.is) {
    case "reference":
      // Beside `$ref` nothing else counts, so it is wrapped to leave room for defaults and extensions.
      return { allOf: [referenceTo(shape.to)] };
    case "list":
      return { type: "array", items: memberSchema(table, shape.of) };
    case "map":
      return { type: "object", additionalProperties: memberSchema(table, shape.of) };
    default:
      return baseSchemas[shape.is];
  }
}

/** What lists and maps hold is never left out, so each has its zero value as default. */
function memberSchema(table: SchemaTable, shape: TableShape): JsonSchema {
  const initial = zeroOf(table, shape);
  const schema = shapeSchema(table, shape);
  if (initial !== undefined) return { ...schema, default: initial };
  return shape.is === "reference" ? referenceTo(shape.to) : schema;
}

/** What stands as default: an empty struct, a plain zero, or nothing. */
function zeroOf(table: SchemaTable, shape: TableShape): unknown {
  if (shape.is !== "reference") return zeroScalar(shape);
  const type = table.type(shape.to);
  return type !== undefined && type.shape === undefined && type.fields.size > 0 ? {} : undefined;
}

const baseSchemas: Readonly<Record<Exclude<TableShape["is"], "reference" | "list" | "map">, JsonSchema>> = {
  string: { type: "string" },
  bytes: { type: "string", format: "byte" },
  "date-time": { type: "string", format: "date-time" },
  "int-or-string": { format: "int-or-string", oneOf: [{ type: "integer" }, { type: "string" }] },
  int32: { type: "integer", format: "int32" },
  int64: { type: "integer", format: "int64" },
  double: { type: "number", format: "double" },
  boolean: { type: "boolean" },
  object: { type: "object" },
  anything: {},
};
