import type { SchemaTable, TableField, TableShape, TableType } from "@kedge/machinery/schema-table";

/** A table that also knows the kinds of meta.k8s.io that the API definition does not publish. */
export function withPartialMetadata(table: SchemaTable): SchemaTable {
  return {
    names: table.names,
    type: (name) => types.get(name) ?? table.type(name),
    kind: (kind) =>
      (kind.group === "meta.k8s.io" ? types.get(`${meta}.${kind.kind}`) : undefined) ?? table.kind(kind),
  };
}

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";
const partial = `${meta}.PartialObjectMetadata`;

const types: ReadonlyMap<string, TableType> = new Map([
  [partial, typeOf("PartialObjectMetadata", [field("metadata", 1, referenceTo(`${meta}.ObjectMeta`))])],
  [
    `${partial}List`,
    typeOf("PartialObjectMetadataList", [
      field("metadata", 1, referenceTo(`${meta}.ListMeta`)),
      field("items", 2, { is: "list", of: referenceTo(partial) }),
    ]),
  ],
]);

function typeOf(title: string, fields: readonly TableField[]): TableType {
  return {
    name: `${meta}.${title}`,
    title,
    kind: undefined,
    shape: undefined,
    mapType: undefined,
    fields: new Map(fields.map((each) => [each.name, each])),
  };
}

function referenceTo(name: string): TableShape {
  return { is: "reference", to: name };
}

function field(name: string, number: number, shape: TableShape): TableField {
  return {
    name,
    shape,
    required: false,
    unset: shape.is === "list" ? "null" : "zero",
    zeroCounts: false,
    listType: undefined,
    mapType: undefined,
    patchStrategies: [],
    patchMergeKey: undefined,
    protobuf: { path: [number], wrapped: false },
    default: undefined,
  };
}
