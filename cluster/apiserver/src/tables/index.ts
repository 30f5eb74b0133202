export { customTable, type PrinterColumn } from "./custom-table.ts";
export { humanDuration } from "./human-duration.ts";
export { nameAndCreation } from "./name-and-creation.ts";
export { parseIncludeObject } from "./include-object.ts";
export { renderTable, tableEvents } from "./render-table.ts";
export type { IncludeObject, Table, TableOptions, TableRow } from "./types.ts";
