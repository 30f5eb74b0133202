import { apiVersionOf, type GroupVersionKind } from "../objects/kind.ts";
import { setOwn, type JsonObject } from "../json-value.ts";
import type { SchemaTable, TableType } from "./schema-table.ts";
import { zeroValue } from "./zero-value.ts";

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
    if (field.unset === "zero")
      setOwn(
        zero,
        field.name,
        zeroValue(table, field.shape, (part) => zeroStruct(table, part)),
      );
  }
  return zero;
}
