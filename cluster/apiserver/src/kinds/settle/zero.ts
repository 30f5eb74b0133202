import type { SchemaTable, TableShape } from "@kedge/machinery/schema-table";

/** What Kubernetes writes for a value of a shape that is not set. Structs are empty: settling fills them. */
export function zeroOf(table: SchemaTable, shape: TableShape): unknown {
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
      if (type === undefined || raw.has(type.title)) return null;
      if (type.title === "Quantity") return "0";
      return type.shape === undefined ? {} : zeroOf(table, type.shape);
    }
    default:
      return null;
  }
}

/** Kept as the bytes that were sent: null when there are none. */
const raw = new Set(["RawExtension", "FieldsV1"]);
