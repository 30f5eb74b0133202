import type { JSONSchemaProps } from "@kedge/machinery/kinds/apiextensions/v1";
import type { KindDefinition } from "./kind-definition.ts";
import { SchemaError } from "./structural/schema-error.ts";

/** Makes sure that columns and the subresource scale point at fields that exist: an API server would show nothing. */
export function checkPaths({ printColumns = [], scale }: KindDefinition, schema: JSONSchemaProps): void {
  for (const { name, jsonPath } of printColumns) {
    // Every object has metadata, and its fields are not in our schema.
    if (!jsonPath.startsWith(".metadata.")) checkPath(`printColumns ${name}`, jsonPath, schema);
  }
  if (scale === undefined) return;
  checkPath("scale.specReplicasPath", scale.specReplicasPath, schema, "integer");
  checkPath("scale.statusReplicasPath", scale.statusReplicasPath, schema, "integer");
  if (scale.labelSelectorPath !== undefined) {
    checkPath("scale.labelSelectorPath", scale.labelSelectorPath, schema, "string");
  }
}

/** Only the part before a filter such as `[?(@.type=="Ready")]` is looked at. */
function checkPath(what: string, path: string, schema: JSONSchemaProps, type?: string): void {
  const [simple = "", filter] = path.split("[");
  const field = simple
    .split(".")
    .slice(1)
    .reduce<JSONSchemaProps | undefined>((at, name) => at?.properties?.[name], schema);
  if (!simple.startsWith(".") || field === undefined) {
    throw new SchemaError(
      what,
      `${path} is not the path of a field of this kind; write it like .status.phase`,
    );
  }
  if (filter === undefined && type !== undefined && field.type !== type) {
    throw new SchemaError(what, `${path} is of type ${field.type ?? "any"}, and must be of type ${type}`);
  }
}
