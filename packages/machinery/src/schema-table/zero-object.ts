import { apiVersionOf, type GroupVersionKind } from "../objects/kind.ts";
import { setOwn, type JsonObject } from "../json/json.ts";
import type { SchemaTable, TableShape, TableType } from "./schema-table.ts";

/**
 * What Kubernetes makes of an object that nothing was said of: structs that are never left out, `""` and `null` where
 * fields are always written. It is what a new object is compared with to find which fields its creator owns.
 */
export function zeroObject(table: SchemaTable, kind: GroupVersionKind): JsonObject | undefined {
  const type = table.kind(kind);
  if (type === undefined) return undefined;
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, ...zeroStruct(table, type) };
}

function zeroStruct(table: SchemaTable, type: TableType): JsonObject {
  const zero: JsonObject = {};
  for (const field of type.fields.values()) {
    if (field.unset === "null") setOwn(zero, field.name, null);
    if (field.unset === "zero") setOwn(zero, field.name, zeroValue(table, field.shape));
  }
  return zero;
}

function zeroValue(table: SchemaTable, shape: TableShape): unknown {
  switch (shape.is) {
    case "string":
      return "";
    case "int32":
    case "int64":
    case "double":
    case "int-or-string":
      return 0;
    case "boolean":
      return false;
    case "reference": {
      const type = table.type(shape.to);
      if (type === undefined) return null;
      if (type.title === "Quantity") return "0";
      return type.shape === undefined && type.fields.size > 0
        ? zeroStruct(table, type)
        : zeroOfShape(table, type);
    }
    default:
      return null;
  }
}

function zeroOfShape(table: SchemaTable, type: TableType): unknown {
  if (type.shape !== undefined) return zeroValue(table, type.shape);
  // What is kept raw is null when there is nothing; a struct without fields is an empty object.
  return type.title === "RawExtension" || type.title === "FieldsV1" ? null : {};
}
