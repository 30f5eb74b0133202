import type { TableColumn, TableDefinition } from "../registry/table-definition.ts";
import { age } from "./age.ts";
import { nameColumn } from "./columns.ts";
import { findByJsonPath, parseJsonPath } from "./json-path.ts";

/** One of `additionalPrinterColumns` of a custom resource definition. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly format?: string | undefined;
  readonly description?: string | undefined;
  readonly priority?: number | undefined;
  readonly jsonPath: string;
}

/** The table of a custom kind: its name and the columns of its definition; its age when there are none. */
export function customTable(columns: readonly PrinterColumn[]): TableDefinition {
  const shown = (columns.length === 0 ? [ageOnly] : columns).map((column) => {
    // A path that cannot be read has no value anywhere; the definition's validation has told its author.
    const path = parseJsonPath(column.jsonPath) ?? [];
    return { column: definitionOf(column), path };
  });
  return {
    columns: [nameColumn, ...shown.map(({ column }) => column)],
    cells: (object, now) => [
      object.metadata.name,
      ...shown.map(({ column, path }) =>
        cellOf(path.length === 0 ? null : findByJsonPath(path, object)[0], column.type, now),
      ),
    ],
  };
}

const ageOnly: PrinterColumn = {
  name: "Age",
  type: "date",
  description: "How long ago the object was created.",
  jsonPath: ".metadata.creationTimestamp",
};

function definitionOf({ name, type, format, description, priority, jsonPath }: PrinterColumn): TableColumn {
  return {
    name,
    type: typeOf(type),
    format: format ?? "",
    description: description === undefined || description === "" ? `The value at ${jsonPath}` : description,
    priority: priority ?? 0,
  };
}

function typeOf(type: string): TableColumn["type"] {
  return types.find((each) => each === type) ?? "string";
}

const types = ["string", "integer", "number", "boolean", "date"] as const;

/** A value as its column wants it; null where it is of another type. */
function cellOf(value: unknown, type: TableColumn["type"], now: number): unknown {
  if (value === undefined || value === null) return null;
  switch (type) {
    case "string":
      return typeof value === "string" ? value : JSON.stringify(value);
    case "integer":
      if (typeof value === "bigint") return value;
      return typeof value === "number" ? Math.trunc(value) : null;
    case "number":
      return typeof value === "number" || typeof value === "bigint" ? Number(value) : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "date":
      return typeof value === "string" ? dateCell(value, now) : null;
  }
}

function dateCell(text: string, now: number): string {
  try {
    return age(text, now);
  } catch {
    return "<invalid>";
  }
}
