import { notAcceptable, type ApiRequest, type ApiResponse } from "@kedge/machinery";
import type { ServiceAccountTokens } from "../auth/tokens/service-account-tokens.ts";
import { health, type HealthCheck } from "../health/health.ts";
import { version } from "../health/version.ts";
import type { Discovery } from "../discovery/index.ts";
import type { OpenApi } from "../openapi/index.ts";
import { plainTypes, type Form } from "../request/negotiate.ts";
import { encodedResponse } from "../response/encode.ts";
import { expositionText, expositionType, type MetricFamily } from "../metrics/index.ts";
import { bytesResponse, textResponse } from "../response/responses.ts";
import { splitPath } from "../request/target.ts";
import { noSuchMethod, noSuchResource } from "../response/status-response.ts";
import { serveOpenId } from "./serve-open-id.ts";

/** What is served beside resources. */
export interface Paths {
  readonly discovery: Discovery;
  readonly openApi: OpenApi;
  readonly checks: readonly HealthCheck[];
  readonly tokens: ServiceAccountTokens | undefined;
  /** What `/metrics` tells. */
  readonly metrics: () => readonly MetricFamily[];
  /** All that is stored, as a file. */
  readonly snapshot: () => AsyncIterable<Uint8Array>;
}

/** What is asked of a path. */
export interface PathAsk {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly form: () => Form;
  readonly knowsGroup: (group: string) => boolean;
}

/** Answers a request for a path that names no resource. Throws a `StatusError`. */
export async function servePath(
  paths: Paths,
  request: ApiRequest,
  { path, query, form, knowsGroup }: PathAsk,
): Promise<ApiResponse> {
  const healthy = await health(path, query, paths.checks);
  if (healthy !== undefined) return healthy;
  if (path === "/version" || path === "/version/") {
    if (request.method !== "GET") throw noSuchMethod();
    return encodedResponse(200, { value: version }, { encoding: "json", pretty: true });
  }
  if (path === "/metrics") {
    if (request.method !== "GET") throw noSuchMethod();
    return bytesResponse(200, expositionText(paths.metrics()), { "content-type": expositionType });
  }
  if (path === "/" || path === "") return listOfPaths(form());
  if (path === snapshotPath) {
    if (request.method !== "GET") throw noSuchMethod();
    const headers = { "content-type": "application/octet-stream", "cache-control": "no-store" };
    return { status: 200, headers, body: paths.snapshot() };
  }
  const openId = serveOpenId(paths.tokens, path, request);
  if (openId !== undefined) return openId;
  const openApi = paths.openApi(request);
  if (openApi !== undefined) return await openApi;
  const found = paths.discovery(request);
  if (found === undefined) {
    const [root, group = "", below] = splitPath(path);
    const isVersion = (root === "api" && group !== "") || (root === "apis" && below !== undefined);
    if (isVersion && knowsGroup(root === "api" ? "" : group)) throw noSuchResource();
    return pageNotFound();
  }
  if (request.method !== "GET") throw noSuchMethod();
  if (found.type === "response") return found.response;
  const { as, ...wanted } = form();
  if (as !== undefined) throw notAcceptable(plainTypes);
  return encodedResponse(200, { value: found.document }, wanted);
}

/** Where `kedge snapshot save` asks. Who may is up to RBAC: of the roles of every cluster, only cluster-admin. */
export const snapshotPath = "/kedge/snapshot";

/** The answer to a path that nobody serves. */
export function pageNotFound(): ApiResponse {
  return textResponse(404, "404 page not found\n", { "x-content-type-options": "nosniff" });
}

function listOfPaths(form: Form): ApiResponse {
  const paths = [
    "/.well-known/openid-configuration",
    "/api",
    "/api/v1",
    "/apis",
    "/healthz",
    "/livez",
    "/metrics",
    "/openapi/v2",
    "/openapi/v3",
    "/openid/v1/jwks",
    "/readyz",
    "/version",
  ];
  return encodedResponse(200, { value: { paths } }, { encoding: form.encoding, pretty: true });
}
