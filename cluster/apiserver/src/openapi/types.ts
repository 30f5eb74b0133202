import type { ApiRequest, ApiResponse, Clock } from "@kedge/machinery";
import type { SchemaTable } from "@kedge/machinery/schema-table";
import type { RemoteVersions } from "../aggregation/index.ts";
import type { Registry } from "../registry/types.ts";

/** Answers `/openapi/v2`, `/openapi/v3` and what is below it. Undefined: another path. */
export type OpenApi = (request: ApiRequest) => ApiResponse | Promise<ApiResponse> | undefined;

/** What OpenAPI documents are made of. */
export interface OpenApiOptions {
  readonly registry: Registry;
  readonly table: SchemaTable;
  readonly clock: Clock;
  /** What other servers have documents of: where each is. */
  readonly remotes?: Pick<RemoteVersions, "openApiPaths"> | undefined;
}
