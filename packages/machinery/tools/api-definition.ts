import { readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  readGroupDiscoveryList,
  readResourceList,
  type ApiResource,
  type GroupVersionKind,
} from "./api-resources.ts";
import { list, members, object, text } from "./json-value.ts";

/** What a value looks like on the wire. */
export type Shape =
  | { readonly is: "string" | "number" | "boolean" | "object" | "anything" }
  | { readonly is: "reference"; readonly to: string }
  | { readonly is: "list" | "map"; readonly of: Shape };

/** One field of a type. */
export interface Field {
  readonly name: string;
  readonly required: boolean;
  readonly shape: Shape;
}

/** One type of the API definition. */
export interface ApiType {
  /** Full name: `io.k8s.api.core.v1.Pod`. */
  readonly name: string;
  /** Last part of the name: `Pod`. */
  readonly title: string;
  /** `core/v1`, or undefined for a type that belongs to no API version (Quantity and its like). */
  readonly home: string | undefined;
  /** Under which names it travels; empty for a part of another type. */
  readonly kinds: readonly GroupVersionKind[];
  /** Where objects of this type are served; undefined for parts, lists and bodies of subresources. */
  readonly resource: ApiResource | undefined;
  /** In the order of their names; empty also for a type that is no object. */
  readonly fields: readonly Field[];
}

/** The whole API: its types in the order of their names, and what is served. */
export interface ApiDefinition {
  readonly types: readonly ApiType[];
  readonly resources: readonly ApiResource[];
}

/** The published documents that the definition is read from, parsed. */
export interface ApiDocuments {
  /** OpenAPI v2. */
  readonly swagger: unknown;
  /** Resources of the core group, an `APIResourceList`. */
  readonly core: unknown;
  /** Resources of all other groups, an `APIGroupDiscoveryList`. */
  readonly groups: unknown;
}

/** Loads the API definition from a Kubernetes source tree. */
export async function loadApiDefinition(sourceDir: string): Promise<ApiDefinition> {
  const parse = async (path: string): Promise<unknown> =>
    JSON.parse(await readFile(join(sourceDir, path), "utf8"));
  const [swagger, core, groups] = await Promise.all([
    parse("api/openapi-spec/swagger.json"),
    parse("api/discovery/api__v1.json"),
    parse("api/discovery/aggregated_v2.json"),
  ]);
  return readApiDefinition({ swagger, core, groups });
}

/** Brings the published documents into one small model. */
export function readApiDefinition(documents: ApiDocuments): ApiDefinition {
  const definitions = object(documents.swagger, "swagger")["definitions"];
  const resources = [...readResourceList(documents.core), ...readGroupDiscoveryList(documents.groups)];
  const types = members(definitions, "definitions").map(([name, value]) => readType(name, value, resources));
  for (const resource of resources) {
    if (!types.some((type) => type.resource === resource)) {
      throw new Error(
        `${resource.plural} of ${resource.group}/${resource.version}: no type for ${resource.kind}`,
      );
    }
  }
  return { types, resources };
}

function readType(name: string, value: unknown, resources: readonly ApiResource[]): ApiType {
  const schema = object(value, name);
  const required = new Set(list(schema["required"], `${name}.required`, text));
  const kinds = list(schema["x-kubernetes-group-version-kind"], `${name}: kinds`, readKind);
  return {
    name,
    ...readName(name),
    kinds,
    resource: resources.find((resource) => kinds.some((kind) => sameKind(kind, resource))),
    fields: members(schema["properties"], `${name}.properties`).map(([field, fieldSchema]) => ({
      name: field,
      required: required.has(field),
      shape: readShape(fieldSchema, `${name}.${field}`),
    })),
  };
}

function readName(name: string): Pick<ApiType, "title" | "home"> {
  const [title = "", version = "", group = ""] = name.split(".").toReversed();
  return { title, home: /^v\d/.test(version) ? `${group}/${version}` : undefined };
}

function readKind(value: unknown, where: string): GroupVersionKind {
  const { group, version, kind } = object(value, where);
  return {
    group: text(group, `${where}.group`),
    version: text(version, `${where}.version`),
    kind: text(kind, `${where}.kind`),
  };
}

function sameKind(a: GroupVersionKind, b: GroupVersionKind): boolean {
  return a.group === b.group && a.version === b.version && a.kind === b.kind;
}

function readShape(value: unknown, where: string): Shape {
  const schema = object(value, where);
  if (schema["$ref"] !== undefined) {
    return { is: "reference", to: text(schema["$ref"], where).replace("#/definitions/", "") };
  }
  switch (schema["type"]) {
    case undefined:
      return { is: "anything" };
    case "string":
      return { is: "string" };
    case "integer":
    case "number":
      return { is: "number" };
    case "boolean":
      return { is: "boolean" };
    case "array":
      return { is: "list", of: readShape(schema["items"], `${where}[]`) };
    case "object":
      return schema["additionalProperties"] === undefined
        ? { is: "object" }
        : { is: "map", of: readShape(schema["additionalProperties"], `${where}{}`) };
    default:
      throw new TypeError(`${where}: type ${JSON.stringify(schema["type"])} is not known to the generator`);
  }
}
