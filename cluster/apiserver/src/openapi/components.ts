import { apiVersionOf, isJsonObject } from "@kedge/machinery";
import type { SchemaTable } from "@kedge/machinery/schema-table";
import type { Resource } from "../registry/types.ts";
import { referenceTo, type JsonSchema } from "./json-schema.ts";
import { referencesOf, typeSchema } from "./type-schema.ts";

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";

/** The name of a resource's kind among the schemas: `io.k8s.api.core.v1.Pod`, `com.example.v1.Thing`. */
export function schemaName(table: SchemaTable, { group, version, kind, custom }: SchemaOwner): string {
  const builtin = custom === undefined ? table.kind({ group, version, kind })?.name : undefined;
  return builtin ?? `${group.split(".").toReversed().join(".")}.${version}.${kind}`;
}

/** What of a resource its schema's name depends on. */
export type SchemaOwner = Pick<Resource, "group" | "version" | "kind" | "custom">;

/** All schemas that resources and their operations need, by name. */
export function componentSchemas(
  table: SchemaTable,
  resources: readonly Resource[],
): Readonly<Record<string, JsonSchema>> {
  const found = new Map<string, JsonSchema>();
  const custom = resources.filter((resource) => resource.custom !== undefined);
  for (const resource of custom) {
    found.set(schemaName(table, resource), customSchema(resource));
    found.set(schemaName(table, listOf(resource)), customListSchema(table, resource));
  }
  const waiting = [...alwaysThere, ...resources.flatMap((resource) => builtinRoots(table, resource))];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const type = table.type(name);
    if (type === undefined || found.has(name)) continue;
    found.set(name, typeSchema(table, type));
    waiting.push(...referencesOf(type));
  }
  return Object.fromEntries([...found].toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** What operations of every kind refer to. */
const alwaysThere = ["DeleteOptions", "ListMeta", "ObjectMeta", "Patch", "Status", "WatchEvent"].map(
  (title) => `${meta}.${title}`,
);

function listOf(resource: Resource): SchemaOwner {
  return { ...resource, kind: resource.listKind };
}

function builtinRoots(table: SchemaTable, resource: Resource): readonly string[] {
  const scale = resource.subresources.has("scale") ? ["io.k8s.api.autoscaling.v1.Scale"] : [];
  const bodies = [...resource.subresources.values()].flatMap((subresource) =>
    subresource.type === "action" ? [table.kind(subresource.body)?.name ?? ""] : [],
  );
  return resource.custom === undefined
    ? [schemaName(table, resource), schemaName(table, listOf(resource)), ...scale, ...bodies]
    : [...scale, ...bodies];
}

/** The definition's own schema, with what every object has. */
function customSchema({ group, version, kind, openapi }: Resource): JsonSchema {
  const schema = isJsonObject(openapi) ? openapi : {};
  const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
  return {
    ...schema,
    type: "object",
    properties: {
      ...properties,
      ...typeMeta,
      metadata: {
        description: "Name, labels and all that every object has.",
        allOf: [referenceTo(`${meta}.ObjectMeta`)],
      },
    },
    "x-kubernetes-group-version-kind": [{ group, kind, version }],
  };
}

function customListSchema(table: SchemaTable, resource: Resource): JsonSchema {
  const { group, version, kind, listKind } = resource;
  return {
    description: `Objects of the kind ${kind} of ${apiVersionOf({ group, version })}.`,
    type: "object",
    required: ["items"],
    properties: {
      ...typeMeta,
      items: { type: "array", items: referenceTo(schemaName(table, resource)) },
      metadata: { allOf: [referenceTo(`${meta}.ListMeta`)] },
    },
    "x-kubernetes-group-version-kind": [{ group, kind: listKind, version }],
  };
}

const typeMeta = {
  apiVersion: { description: "Group and version of the kind.", type: "string" },
  kind: { description: "Name of the kind.", type: "string" },
};
