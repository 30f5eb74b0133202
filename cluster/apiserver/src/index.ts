export { createApiServer, type ApiServer, type ApiServerOptions, type Door } from "./api-server.ts";
export { defaultAuthorizer } from "./auth/default-authorizer.ts";
export { tokenTable } from "./auth/token-table.ts";
export type { Attributes, Authenticator, Authorizer, Decision } from "./auth/types.ts";
export { listen } from "./door/listen.ts";
export type { HttpsDoor, ListenOptions, ServingCertificate } from "./door/types.ts";
export { podConnects, type NodeProxyOptions, type PodConnects } from "./node-proxy/index.ts";
export type { ApiObject, Objects, Registry, Resource, StoredApiObject, User } from "./registry/types.ts";
