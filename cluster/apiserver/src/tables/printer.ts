import type { Kind } from "@kedge/machinery";
import { decodedAs, type Decoded } from "../registry/decoded.ts";
import type { TableColumn, TableDefinition } from "../registry/table-definition.ts";

/** The table of a kind, under the name by which it is found: `apps/Deployment`, `/Pod`. */
export interface Printer {
  readonly key: string;
  readonly table: TableDefinition;
}

/** Makes the table of a kind. Every field may be missing: objects are shown as they are. */
export function printerOf<T>(
  kind: Kind<T>,
  columns: readonly TableColumn[],
  cells: (object: Decoded<T>, now: number) => readonly unknown[],
): Printer {
  return {
    key: `${kind.group}/${kind.kind}`,
    table: { columns, cells: (object, now) => cells(decodedAs(kind, object), now) },
  };
}
