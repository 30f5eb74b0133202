import type { ApiHeaders, ApiRequest, ApiResponse } from "@kedge/machinery";
import type { Impersonation, Request, Variables } from "../script/script.ts";
import { fill } from "../script/variables.ts";
import type { Server } from "./server.ts";

/** What a request is sent with. */
export interface ExchangeOptions {
  readonly server: Server;
  readonly variables: Variables;
  /** Ends the exchange, the reading of the body included. */
  readonly signal: AbortSignal;
}

/** The name that managedFields show for what is written without a field manager. */
const userAgent = "differential/1.0";

/** Sends a request with its variables filled in. */
export function exchange(request: Request, options: ExchangeOptions): Promise<ApiResponse> {
  const { server, variables, signal } = options;
  const { as } = request;
  const send = as === "anonymous" ? server.sendAnonymous : server.send;
  const filled = fill(request, variables);
  const headers: ApiHeaders = {
    accept: "application/json",
    "user-agent": userAgent,
    ...(filled.as !== undefined && filled.as !== "anonymous" && impersonating(filled.as)),
    ...lowerCased(filled.headers),
  };
  return send({ method: filled.method, path: pathOf(filled), headers, body: bodyOf(filled), signal });
}

function impersonating({ user, groups, uid, extra }: Impersonation): ApiHeaders {
  return {
    "impersonate-user": user,
    ...(groups.length > 0 && { "impersonate-group": groups }),
    ...(uid !== undefined && { "impersonate-uid": uid }),
    ...Object.fromEntries(
      Object.entries(extra).map(([key, values]) => [
        `impersonate-extra-${encodeURIComponent(key).toLowerCase()}`,
        values,
      ]),
    ),
  };
}

function lowerCased(headers: Request["headers"]): ApiHeaders {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function pathOf({ path, query }: Request): string {
  const parameters = Object.entries(query).flatMap(([name, values]) =>
    [values].flat().map((value) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`),
  );
  if (parameters.length === 0) return path;
  return `${path}${path.includes("?") ? "&" : "?"}${parameters.join("&")}`;
}

function bodyOf({ body }: Request): ApiRequest["body"] {
  if (body === undefined) return undefined;
  if ("json" in body) return JSON.stringify(body.json);
  return "text" in body ? body.text : Buffer.from(body.base64, "base64");
}
