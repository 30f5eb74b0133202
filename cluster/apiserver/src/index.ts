export { createApiServer, type ApiServer, type Door } from "./api-server.ts";
export { listen } from "./door/listen.ts";
export { nodeStats, podConnects } from "./node-proxy/index.ts";
export type { Attributes as Refused } from "./auth/types.ts";
