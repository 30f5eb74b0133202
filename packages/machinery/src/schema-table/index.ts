import { parseTable } from "./parse-table.ts";
import type { SchemaTable } from "./schema-table.ts";
import { tableText } from "./table-text.ts";

export type {
  BaseShape,
  SchemaTable,
  TableField,
  TableListType,
  TableProtobuf,
  TableShape,
  TableType,
} from "./schema-table.ts";
export { tableSchemas, type TableSchemas } from "./table-schema.ts";
export { zeroObject } from "./zero-object.ts";
export { zeroScalar, zeroValue } from "./zero-value.ts";

/** The facts about the built-in types. Reading them takes a millisecond or two: keep the result. */
export function builtinTable(): SchemaTable {
  return parseTable(tableText);
}
