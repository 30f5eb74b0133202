import type { SchemaTable, TableShape, TableType } from "./schema-table.ts";

/** What Go has for a plain value that is not set; undefined for shapes that are no text, number or truth value. */
export function zeroScalar(shape: TableShape): "" | 0 | false | undefined {
  switch (shape.is) {
    case "string":
      return "";
    case "int32":
    case "int64":
    case "double":
      return 0;
    case "boolean":
      return false;
    default:
      return undefined;
  }
}

/** What Kubernetes writes for a value of a shape that is not set. Structs are as `struct` has them: by default empty. */
export function zeroValue(
  table: SchemaTable,
  shape: TableShape,
  struct: (type: TableType) => unknown = () => ({}),
): unknown {
  if (shape.is === "int-or-string") return 0;
  if (shape.is !== "reference") return zeroScalar(shape) ?? null;
  const type = table.type(shape.to);
  if (type === undefined || raw.has(type.title)) return null;
  if (type.title === "Quantity") return "0";
  return type.shape === undefined ? struct(type) : zeroValue(table, type.shape, struct);
}

/** Kept as the bytes that were sent: null when there are none. */
const raw = new Set(["RawExtension", "FieldsV1"]);
