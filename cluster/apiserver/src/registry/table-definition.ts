import type { StoredApiObject } from "./api-object.ts";

/** How objects are shown as a table. The first column is the name. */
export interface TableDefinition {
  readonly columns: readonly TableColumn[];
  /** One cell for each column. `now` is in milliseconds since 1970, for ages. */
  readonly cells: (object: StoredApiObject, now: number) => readonly unknown[];
}

/** metav1.TableColumnDefinition. Priority 0 is always shown, more only with `-o wide`. */
export interface TableColumn {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  readonly format: string;
  readonly description: string;
  readonly priority: number;
}
