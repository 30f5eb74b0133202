export { createOpenApi } from "./openapi.ts";
export type { OpenApi, OpenApiOptions } from "./types.ts";
