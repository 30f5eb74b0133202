export { createApiServer, type ApiServer, type Door } from "./api-server.ts";
export { AuditFile } from "./audit/audit-file.ts";
export { parseAuditPolicy } from "./audit/parse-policy.ts";
export { parseEncryptionConfig } from "./encryption/parse-config.ts";
export type { EncryptionConfig } from "./encryption/types.ts";
export { listen } from "./door/listen.ts";
export { nodeStats, podConnects, proxyConnects } from "./node-proxy/index.ts";
export type { Attributes as Asked } from "./auth/types.ts";
