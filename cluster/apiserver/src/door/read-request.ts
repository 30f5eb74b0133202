import type { IncomingMessage } from "node:http";
import type { ServerHttp2Stream } from "node:http2";
import { setOwn, type ApiHeaders, type ApiRequest } from "@kedge/machinery";
import type { SharedTimeout } from "../request/shared-timeout.ts";
import { maxBodyBytes } from "../pipeline/resource-request-of.ts";

/** What ends the reading of a request before its end. */
export interface Reading {
  /** How long a client may take to send a body. */
  readonly timeout: SharedTimeout;
  readonly signal: AbortSignal;
}

/** A request without its body. */
export type RequestHead = Pick<ApiRequest, "method" | "path" | "headers">;

/** Reads a request to its end; of a body that is too big, only as much is kept as shows that it is. */
export async function readRequest(
  incoming: ServerHttp2Stream | IncomingMessage,
  head: RequestHead,
  { timeout, signal }: Reading,
): Promise<ApiRequest> {
  const source = sourceOf(incoming);
  if (!hasBody(incoming)) return { ...head, source, signal };
  const stop = timeout.begin(() => void incoming.destroy());
  try {
    return { ...head, source, body: await bodyOf(incoming, signal), signal };
  } finally {
    stop();
  }
}

function sourceOf(incoming: ServerHttp2Stream | IncomingMessage): string | undefined {
  return ("session" in incoming ? incoming.session?.socket : incoming.socket)?.remoteAddress;
}

/** Most requests of HTTP/2 say with their head that nothing follows. */
function hasBody(incoming: ServerHttp2Stream | IncomingMessage): boolean {
  return !("endAfterHeaders" in incoming && incoming.endAfterHeaders);
}

function bodyOf(incoming: ServerHttp2Stream | IncomingMessage, signal: AbortSignal): Promise<Uint8Array> {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  const chunks: Uint8Array[] = [];
  let size = 0;
  const giveUp = (): void => {
    incoming.destroy();
    reject(new Error("the client has gone"));
  };
  let isOver = false;
  const stopListening = (): void => {
    isOver = true;
    signal.removeEventListener("abort", giveUp);
  };
  signal.addEventListener("abort", giveUp, { once: true });
  incoming.on("data", (chunk: Uint8Array) => {
    // The rest is read too, or the client would not come to read the answer.
    if (size <= maxBodyBytes) chunks.push(chunk);
    size += chunk.length;
  });
  incoming.on("end", () => {
    stopListening();
    const [only] = chunks;
    resolve(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks));
  });
  incoming.on("error", (error: Error) => {
    stopListening();
    reject(error);
  });
  incoming.on("close", () => {
    if (isOver) return;
    stopListening();
    reject(new Error("the body was cut off"));
  });
  return promise;
}

/** The head of a request of HTTP/1.1. */
export function requestHead(incoming: Pick<IncomingMessage, "method" | "url" | "rawHeaders">): RequestHead {
  return {
    method: incoming.method ?? "GET",
    path: incoming.url ?? "/",
    headers: headersOf(incoming.rawHeaders),
  };
}

/** The head of a request of HTTP/2. */
export function streamHead(raw: readonly string[]): RequestHead {
  let method = "GET";
  let path = "/";
  const headers = headersOf(raw, (name, value) => {
    if (name === ":method") method = value;
    if (name === ":path") path = value;
  });
  return { method, path, headers };
}

/** Of names and values in turns. HTTP/2 has names of its own, which begin with a colon. */
function headersOf(
  raw: readonly string[],
  onOwn: (name: string, value: string) => void = () => undefined,
): ApiHeaders {
  const headers: Record<string, string | string[]> = {};
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const value = raw[at + 1] ?? "";
    const given = (raw[at] ?? "").toLowerCase();
    const name = given === ":authority" ? "host" : given;
    // A header may be called `constructor`.
    const before = Object.hasOwn(headers, name) ? headers[name] : undefined;
    if (name.startsWith(":")) onOwn(name, value);
    else setOwn(headers, name, before === undefined ? value : [...[before].flat(), value]);
  }
  return headers;
}
