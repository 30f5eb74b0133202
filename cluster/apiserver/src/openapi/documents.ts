import type { SchemaTable } from "@kedge/machinery/schema-table";
import type { Resource } from "../registry/types.ts";
import { componentSchemas } from "./components.ts";
import type { JsonSchema } from "./json-schema.ts";
import { resourcePaths } from "./paths.ts";

const info = { title: "Kubernetes", version: "1.36" };

const securitySchemes = {
  BearerToken: {
    type: "apiKey",
    description: "Bearer Token authentication",
    name: "authorization",
    in: "header",
  },
};

/** The document of one group version: paths of its resources, and the schemas that they need. */
export function groupVersionDocument(table: SchemaTable, resources: readonly Resource[]): JsonSchema {
  const paths = Object.fromEntries(
    resources.flatMap((resource) => Object.entries(resourcePaths(table, resource))),
  );
  return {
    openapi: "3.0.0",
    info,
    paths,
    components: { schemas: componentSchemas(table, resources), securitySchemes },
  };
}

/** The document of `/version`. */
export function versionDocument(): JsonSchema {
  return {
    openapi: "3.0.0",
    info,
    paths: {
      "/version/": {
        get: {
          tags: ["version"],
          description: "Tells the version of the server.",
          operationId: "getCodeVersion",
          responses: { 200: { description: "OK" }, 401: { description: "Unauthorized" } },
        },
      },
    },
    components: { securitySchemes },
  };
}
