import { builtinTable, tableSchemas, zeroObject } from "../../schema-table/index.ts";
import type { JsonObject } from "../../json-value.ts";
import type { ManagedFieldsEntry } from "../../objects/metadata.ts";
import { structuralSchema } from "../../type-schema/structural-schema.ts";
import type { TypeSchema } from "../../type-schema/type-schema.ts";
import type { FieldManagerOptions } from "../field-manager.ts";
import { metaOf } from "../object-meta.ts";

const table = builtinTable();
const schemas = tableSchemas(table);

/** The schema of a built-in type. */
export function builtin(name: string): TypeSchema {
  const schema = schemas(name);
  if (schema === undefined) throw new Error(`${name} is not in the table`);
  return schema;
}

/** The endpoint of deployments. */
export const deployments: FieldManagerOptions = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  schema: builtin("io.k8s.api.apps.v1.Deployment"),
  emptyObject: zeroObject(table, { group: "apps", version: "v1", kind: "Deployment" }),
};

/** The endpoint of config maps. */
export const configMaps: FieldManagerOptions = {
  apiVersion: "v1",
  kind: "ConfigMap",
  schema: builtin("io.k8s.api.core.v1.ConfigMap"),
  emptyObject: zeroObject(table, { group: "", version: "v1", kind: "ConfigMap" }),
};

/** The endpoint of services. */
export const services: FieldManagerOptions = {
  apiVersion: "v1",
  kind: "Service",
  schema: builtin("io.k8s.api.core.v1.Service"),
};

/** An endpoint of custom resources whose spec has this schema. */
export function custom(spec: object): FieldManagerOptions {
  const objectMeta = builtin("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
  return {
    apiVersion: "example.com/v1",
    kind: "Thing",
    schema: structuralSchema({ type: "object", properties: { spec } }, { objectMeta }),
  };
}

/** An object as a client writes it. */
export function objectOf({ apiVersion, kind }: FieldManagerOptions, rest: JsonObject = {}): JsonObject {
  return { apiVersion, kind, metadata: { name: "x", namespace: "default" }, ...rest };
}

/** What `metadata.managedFields` holds, a line each: manager, operation, fields. */
export function owners(object: Readonly<JsonObject>): readonly string[] {
  const entries = metaOf(object)["managedFields"];
  return (Array.isArray(entries) ? (entries as ManagedFieldsEntry[]) : []).map((entry) =>
    [entry.manager, entry.operation, entry.subresource, JSON.stringify(entry.fieldsV1)]
      .filter((part) => part !== undefined)
      .join(" "),
  );
}
