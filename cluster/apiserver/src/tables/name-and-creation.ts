import type { TableDefinition } from "../registry/table-definition.ts";
import { column, nameColumn } from "./columns.ts";

/** What Kubernetes shows of kinds that it has no printer for, definitions of custom kinds among them. */
export const nameAndCreation: TableDefinition = {
  columns: [nameColumn, column("Created At", "When the object was created.", { type: "date" })],
  cells: ({ metadata }) => [metadata.name, metadata.creationTimestamp ?? "0001-01-01T00:00:00Z"],
};
