export { builtinTable } from "./builtin-tables.ts";
export { customTable, type PrinterColumn } from "./custom-table.ts";
export { humanDuration } from "./human-duration.ts";
export { parseIncludeObject } from "./include-object.ts";
export { renderTable, tableEvents } from "./render-table.ts";
export type { IncludeObject, Table, TableOptions, TableRow } from "./types.ts";
