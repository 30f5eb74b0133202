import { request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import {
  DeadlineError,
  messageOf,
  statusFailure,
  type ApiHeaders,
  type ApiRequest,
  type ApiResponse,
  type Clock,
  type StatusError,
} from "@kedge/machinery";
import { hopHeaders, ownHeaders } from "../../request/hop-headers.ts";

/** Where a request is forwarded to. */
export interface ProxyPlace {
  readonly scheme: "http" | "https";
  readonly host: string;
  readonly port: number;
  /** How both ends show who they are; for HTTPS only. */
  readonly tls: RequestOptions & { readonly ca?: string; readonly rejectUnauthorized?: boolean };
}

/** How long the other end may take to take up a connection. */
const connectPatience = 10_000;

/** Forwards a request and streams the answer back as it comes. Throws a 503 when the other end cannot be reached. */
export async function forward(
  request: ApiRequest,
  place: ProxyPlace,
  { path, prefix, clock }: { readonly path: string; readonly prefix: string; readonly clock: Clock },
): Promise<ApiResponse> {
  const answer = await clock.track(send(request, place, { path, clock }));
  return {
    status: answer.statusCode ?? 502,
    headers: answerHeaders(answer, place, prefix),
    body: answer,
  };
}

async function send(
  { method, headers, body, signal }: ApiRequest,
  { scheme, host, port, tls }: ProxyPlace,
  { path, clock }: { readonly path: string; readonly clock: Clock },
): Promise<IncomingMessage> {
  signal?.throwIfAborted();
  const deadline = clock.deadline(connectPatience, signal);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const open = scheme === "https" ? httpsRequest : httpRequest;
  const sent = open({
    ...(scheme === "https" ? tls : {}),
    host,
    port,
    path,
    method,
    agent: false,
    headers: {
      ...forwardedHeaders(headers),
      ...lengthOf(body),
      host: `${host.includes(":") ? `[${host}]` : host}:${port}`,
    },
  });
  const cut = (): void => {
    sent.destroy(deadline.signal.reason instanceof Error ? deadline.signal.reason : undefined);
  };
  const end = (): void => {
    sent.destroy();
  };
  deadline.signal.addEventListener("abort", cut, { once: true });
  signal?.addEventListener("abort", end, { once: true });
  // The deadline is for the connection only: an answer may take its time.
  sent.once("socket", (socket) => {
    socket.once(scheme === "https" ? "secureConnect" : "connect", () => {
      deadline.signal.removeEventListener("abort", cut);
      deadline[Symbol.dispose]();
    });
  });
  sent.once("response", resolve);
  sent.on("error", (error) => {
    reject(unreachable(`${host}:${port}`, error));
  });
  sent.once("close", () => {
    deadline[Symbol.dispose]();
    signal?.removeEventListener("abort", end);
    // After an answer this does nothing. A switch of protocols is none, and no error either.
    reject(unreachable(`${host}:${port}`, new Error("connection closed without an answer")));
  });
  sent.end(body);
  return await promise;
}

/** Of a method that seldom has a body, Node.js sends one without its length: it would be taken for another request. */
function lengthOf(body: ApiRequest["body"]): Record<string, string> {
  const length = body === undefined ? 0 : Buffer.byteLength(body);
  return length === 0 ? {} : { "content-length": String(length) };
}

/** Not the sender's credentials, nor what is only about its own connection to us. */
function forwardedHeaders(headers: ApiHeaders): Record<string, string | string[]> {
  const kept = Object.entries(headers).filter(
    ([name, value]) =>
      value !== undefined && !ownHeaders.has(name.toLowerCase()) && !/^(?::|impersonate-)/iu.test(name),
  );
  return Object.fromEntries(
    kept.map(([name, value]) => [name, typeof value === "string" ? value : [...(value ?? [])]]),
  );
}

function answerHeaders(
  { headers }: IncomingMessage,
  { scheme, host, port }: ProxyPlace,
  prefix: string,
): ApiHeaders {
  const kept = Object.entries(headers).filter(([name]) => !hopHeaders.has(name));
  const answered: Record<string, string | readonly string[]> = {};
  for (const [name, value] of kept) if (value !== undefined) answered[name] = value;
  const { location } = headers;
  if (location !== undefined)
    answered["location"] = throughProxy(location, `${scheme}://${host}:${port}`, prefix);
  return answered;
}

/** Where the other end sends its visitors, if that is itself, is reached through the proxy. */
function throughProxy(location: string, own: string, prefix: string): string {
  if (location.startsWith("/")) return `${prefix}${location}`;
  return location.startsWith(`${own}/`) || location === own
    ? `${prefix}${location.slice(own.length)}`
    : location;
}

function unreachable(address: string, cause: unknown): StatusError {
  const why = cause instanceof DeadlineError ? "i/o timeout" : messageOf(cause);
  return statusFailure({
    message: `error trying to reach service: dial tcp ${address}: ${why}`,
    reason: "ServiceUnavailable",
    code: 503,
  });
}
