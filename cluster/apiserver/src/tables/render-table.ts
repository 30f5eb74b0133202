import type { ListMeta } from "@kedge/machinery";
import type { TableColumn } from "../registry/table-definition.ts";
import type { Resource, StoredApiObject } from "../registry/types.ts";
import { rowConditions } from "./row-conditions.ts";
import type { Table, TableOptions, TableRow } from "./types.ts";

/** What of a resource tables need. */
export type Tabled = Pick<Resource, "table">;

/** Shows objects as a table. `listMeta` is that of the list; for a single object its resourceVersion. */
export function renderTable(
  resource: Tabled,
  objects: readonly StoredApiObject[],
  listMeta: ListMeta,
  options: TableOptions,
): Table {
  return tableOf(resource, objects, { listMeta, columns: resource.table.columns, options });
}

/** Shows the objects of a watch's events, one at a time: only the first table has columns. One function per watch. */
export function tableEvents(
  resource: Tabled,
  options: Omit<TableOptions, "now">,
): (object: StoredApiObject, now: number) => Table {
  let isFirst = true;
  return (object, now) => {
    const columns = isFirst ? resource.table.columns : null;
    isFirst = false;
    const { resourceVersion } = object.metadata;
    const listMeta = resourceVersion === undefined ? {} : { resourceVersion };
    return tableOf(resource, [object], { listMeta, columns, options: { ...options, now } });
  };
}

function tableOf(
  { table }: Tabled,
  objects: readonly StoredApiObject[],
  {
    listMeta,
    columns,
    options,
  }: {
    readonly listMeta: ListMeta;
    readonly columns: readonly TableColumn[] | null;
    readonly options: TableOptions;
  },
): Table {
  const rows = objects.map((object): TableRow => ({
    cells: withName(table.cells(object, options.now)),
    ...rowConditions(object),
    object: rowObject(object, options),
  }));
  return {
    kind: "Table",
    apiVersion: `meta.k8s.io/${options.version}`,
    metadata: listMeta,
    columnDefinitions: columns,
    rows,
  };
}

/** What has no name, a bookmark, has an empty one. */
function withName([name = "", ...others]: readonly unknown[]): readonly unknown[] {
  return [name, ...others];
}

function rowObject(object: StoredApiObject, { includeObject, version }: TableOptions): unknown {
  switch (includeObject) {
    case "None":
      return null;
    case "Object":
      return object;
    case "Metadata":
      return {
        kind: "PartialObjectMetadata",
        apiVersion: `meta.k8s.io/${version}`,
        metadata: object.metadata,
      };
  }
}
