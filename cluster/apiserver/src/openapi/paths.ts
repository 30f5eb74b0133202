import { apiVersionOf } from "@kedge/machinery";
import type { SchemaTable } from "@kedge/machinery/schema-table";
import type { Resource } from "../registry/types.ts";
import type { JsonSchema } from "./json-schema.ts";
import { OperationMaker } from "./operation-maker.ts";
import { parametersOf } from "./parameters.ts";
import { subresourcePaths } from "./subresource-paths.ts";

/** The paths of a resource with their operations. */
export function resourcePaths(table: SchemaTable, resource: Resource): Readonly<Record<string, JsonSchema>> {
  const { group, version, plural } = resource;
  const root = `${group === "" ? "/api" : "/apis"}/${apiVersionOf({ group, version })}`;
  const isNamespaced = resource.scope === "Namespaced";
  const collection = isNamespaced ? `${root}/namespaces/{namespace}/${plural}` : `${root}/${plural}`;
  const object = `${collection}/{name}`;
  const make = new OperationMaker(table, resource);
  const everywhere = { get: make.list(true), parameters: parametersOf(["pretty"]) };
  const parameters = parametersOf(isNamespaced ? ["name", "namespace", "pretty"] : ["name", "pretty"]);
  return {
    ...(isNamespaced && resource.verbs.includes("list") ? { [`${root}/${plural}`]: everywhere } : {}),
    [collection]: {
      ...collectionOperations(resource, make),
      parameters: parametersOf(isNamespaced ? ["namespace", "pretty"] : ["pretty"]),
    },
    [object]: { ...objectOperations(resource, make), parameters },
    ...Object.fromEntries(
      subresourcePaths(table, resource, make).map(({ name, operations }) => [
        `${object}/${name}`,
        { ...operations, parameters },
      ]),
    ),
  };
}

function collectionOperations(resource: Resource, make: OperationMaker): JsonSchema {
  const can = new Set<string>(resource.verbs);
  return {
    ...(can.has("list") ? { get: make.list() } : {}),
    ...(can.has("create") ? { post: make.create(make.own) } : {}),
    ...(can.has("deletecollection") ? { delete: make.deleteCollection() } : {}),
  };
}

function objectOperations(resource: Resource, make: OperationMaker): JsonSchema {
  const can = new Set<string>(resource.verbs);
  return {
    ...(can.has("get") ? { get: make.read(make.own) } : {}),
    ...(can.has("update") ? { put: make.replace(make.own) } : {}),
    ...(can.has("patch") ? { patch: make.patch(make.own) } : {}),
    ...(can.has("delete") ? { delete: make.delete() } : {}),
  };
}
