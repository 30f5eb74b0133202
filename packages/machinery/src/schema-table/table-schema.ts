import { deducedSchema, untypedSchema } from "../type-schema/deduced-schema.ts";
import type { FieldSchema, ListSchema, MapSchema, TypeSchema } from "../type-schema/type-schema.ts";
import type { BaseShape, SchemaTable, TableField, TableShape, TableType } from "./schema-table.ts";
import { zeroScalar } from "./zero-value.ts";

/** Gives the schema of a built-in type by its full name; it is made once, when it is first asked for. */
export type TableSchemas = (name: string) => TypeSchema | undefined;

/** The schemas of a table's types, as merging wants them. */
export function tableSchemas(table: SchemaTable): TableSchemas {
  const made = new Map<string, TypeSchema>();
  const schemas: TableSchemas = (name) => {
    const known = made.get(name);
    if (known !== undefined) return known;
    const type = table.type(name);
    if (type === undefined) return undefined;
    const schema = typeSchema(type, schemas);
    made.set(name, schema);
    return schema;
  };
  return schemas;
}

/** Types whose JSON is another than that of their Go struct, and says nothing about it in the table. */
const rawExtension = "io.k8s.apimachinery.pkg.runtime.RawExtension";
const quantity = "io.k8s.apimachinery.pkg.api.resource.Quantity";

const blank = { name: undefined, scalar: undefined, list: undefined, map: undefined };

function typeSchema(type: TableType, schemas: TableSchemas): TypeSchema {
  const named = { name: type.name, goKind: "struct" };
  if (type.name === rawExtension) return { ...untypedSchema, ...named };
  if (type.name === quantity) return { ...blank, ...named, scalar: "untyped" };
  if (type.shape !== undefined) return { ...shapeSchema(type.shape, undefined, schemas), ...named };
  return { ...blank, ...named, map: structSchema(type, schemas) };
}

function structSchema(type: TableType, schemas: TableSchemas): MapSchema {
  const made = new Map<string, FieldSchema>();
  let fieldNames: readonly string[] | undefined;
  return {
    atomic: type.mapType === "atomic",
    get fieldNames() {
      fieldNames ??= [...type.fields.keys()];
      return fieldNames;
    },
    field: (name) => {
      const known = made.get(name);
      if (known !== undefined) return known;
      const field = type.fields.get(name);
      if (field === undefined) return undefined;
      const schema = fieldSchema(field, schemas);
      made.set(name, schema);
      return schema;
    },
    // A struct without fields may have any, for want of a better description.
    get values() {
      return type.fields.size === 0 ? deducedSchema : undefined;
    },
  };
}

function fieldSchema(field: TableField, schemas: TableSchemas): FieldSchema {
  return {
    type: shapeSchema(field.shape, field, schemas),
    default: field.default ?? (field.unset === "zero" ? zeroOf(field.shape) : undefined),
    patchStrategies: field.patchStrategies,
    patchMergeKey: field.patchMergeKey ?? "",
  };
}

/** OpenAPI v3 states the zero value as default of fields that are always written. */
function zeroOf(shape: TableShape): unknown {
  return shape.is === "reference" ? {} : zeroScalar(shape);
}

function shapeSchema(shape: TableShape, field: TableField | undefined, schemas: TableSchemas): TypeSchema {
  switch (shape.is) {
    case "list":
      return { ...blank, goKind: "slice", list: listSchema(shape.of, field, schemas) };
    case "map":
      return {
        ...blank,
        goKind: "map",
        map: {
          atomic: field?.mapType === "atomic",
          fieldNames: [],
          field: () => undefined,
          values: shapeSchema(shape.of, undefined, schemas),
        },
      };
    case "reference": {
      const schema = schemas(shape.to) ?? deducedSchema;
      if (field?.mapType === undefined || schema.map === undefined) return schema;
      return { ...schema, map: withRelation(schema.map, field.mapType === "atomic") };
    }
    default:
      return baseSchema(shape.is);
  }
}

/** Without a list type, the strategy of patches decides. */
function listSchema(item: TableShape, field: TableField | undefined, schemas: TableSchemas): ListSchema {
  // A getter, because types may contain lists of themselves.
  const made = {
    get item() {
      return shapeSchema(item, undefined, schemas);
    },
  };
  if (field?.listType !== undefined) return withItem(field.listType.type, field.listType.keys, made);
  if (field?.patchStrategies.includes("merge") !== true) return withItem("atomic", [], made);
  if (field.patchMergeKey === undefined) return withItem("set", [], made);
  return withItem("map", [field.patchMergeKey], made);
}

function withItem(
  type: ListSchema["type"],
  keys: readonly string[],
  made: { readonly item: TypeSchema },
): ListSchema {
  let item: TypeSchema | undefined;
  return {
    type,
    keys,
    get item() {
      item ??= made.item;
      return item;
    },
  };
}

function withRelation(map: MapSchema, atomic: boolean): MapSchema {
  return {
    atomic,
    get fieldNames() {
      return map.fieldNames;
    },
    field: map.field,
    get values() {
      return map.values;
    },
  };
}

function baseSchema(is: BaseShape): TypeSchema {
  switch (is) {
    case "string":
      return { ...blank, goKind: "string", scalar: "string" };
    case "bytes":
      return { ...blank, goKind: "slice", scalar: "string" };
    case "date-time":
      return { ...blank, goKind: "struct", scalar: "untyped" };
    case "int32":
    case "int64":
      return { ...blank, goKind: is, scalar: "numeric" };
    case "double":
      return { ...blank, goKind: "float64", scalar: "numeric" };
    case "boolean":
      return { ...blank, goKind: "bool", scalar: "boolean" };
    case "object":
      return {
        ...blank,
        goKind: "map",
        map: { atomic: false, fieldNames: [], field: () => undefined, values: deducedSchema },
      };
    case "int-or-string":
    case "anything":
      return {
        ...blank,
        goKind: "struct",
        scalar: "untyped",
        list: { type: "atomic", keys: [], item: untypedSchema },
        map: { atomic: false, fieldNames: [], field: () => undefined, values: deducedSchema },
      };
  }
}
