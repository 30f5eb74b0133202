import type { ListMeta } from "@kedge/machinery";
import type { TableColumn } from "../registry/table-definition.ts";

/** How much of its object a row carries: the query parameter `includeObject`; empty means `Metadata`. */
export type IncludeObject = "None" | "Metadata" | "Object";

/** How a table is asked for. */
export interface TableOptions {
  readonly includeObject: IncludeObject;
  /** Milliseconds since 1970, for ages. */
  readonly now: number;
  /** Of meta.k8s.io: the first of the accepted ones. */
  readonly version: "v1" | "v1beta1";
}

/** meta.k8s.io Table. `columnDefinitions` is null in all events of a watch but the first. */
export interface Table {
  readonly kind: "Table";
  readonly apiVersion: string;
  readonly metadata: ListMeta;
  readonly columnDefinitions: readonly TableColumn[] | null;
  readonly rows: readonly TableRow[];
}

/** One object of a table. */
export interface TableRow {
  readonly cells: readonly unknown[];
  /** Left out unless something is to be told. */
  readonly conditions?: readonly unknown[];
  readonly object: unknown;
}
