import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { members, object } from "../json-value.ts";

/**
 * The fields that OpenAPI v3 gives the default `{}`: plain structs, which Go's encoder never leaves out. Named as
 * `io.k8s.api.core.v1.Pod.spec`.
 */
export async function loadStructFields(sourceDir: string): Promise<ReadonlySet<string>> {
  const directory = join(sourceDir, "api/openapi-spec/v3");
  const documents = await Promise.all(
    (await readdir(directory)).map(async (file): Promise<unknown> => {
      return JSON.parse(await readFile(join(directory, file), "utf8"));
    }),
  );
  return new Set(documents.flatMap(structFields));
}

function structFields(document: unknown): readonly string[] {
  const components = object(document, "document")["components"] ?? {};
  const schemas = members(object(components, "components")["schemas"], "schemas");
  return schemas.flatMap(([type, schema]) =>
    members(object(schema, type)["properties"], type)
      .filter(([field, property]) => JSON.stringify(object(property, field)["default"]) === "{}")
      .map(([field]) => `${type}.${field}`),
  );
}
