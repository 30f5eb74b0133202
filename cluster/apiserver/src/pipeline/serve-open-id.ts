import { statusFailure, type ApiRequest, type ApiResponse } from "@kedge/machinery";
import type { ServiceAccountTokens } from "../auth/tokens/service-account-tokens.ts";
import { parseAccept } from "../request/accept.ts";
import { headerOf } from "../request/header.ts";
import { bytesResponse } from "../response/responses.ts";
import { noSuchMethod } from "../response/status-response.ts";

/** How others verify tokens of service accounts; undefined for other paths, and when there are no tokens. */
export function serveOpenId(
  tokens: ServiceAccountTokens | undefined,
  path: string,
  { method, headers }: Pick<ApiRequest, "method" | "headers">,
): ApiResponse | undefined {
  const [type, document] =
    path === "/.well-known/openid-configuration"
      ? ["application/json", tokens?.configuration]
      : path === "/openid/v1/jwks"
        ? ["application/jwk-set+json", tokens?.jwks]
        : [];
  if (type === undefined || document === undefined) return undefined;
  if (method !== "GET") throw noSuchMethod();
  const accept = headerOf(headers, "accept");
  const isWanted =
    accept === "" || parseAccept(accept).some((media) => media.type === type || media.type === "*/*");
  if (!isWanted) {
    const message = `406: Not Acceptable\n\nAvailable representations: ${type}`;
    throw statusFailure({ message, reason: "NotAcceptable", details: {}, code: 406 });
  }
  return bytesResponse(200, JSON.stringify(document), {
    "content-type": type,
    "cache-control": "public, max-age=3600",
  });
}
