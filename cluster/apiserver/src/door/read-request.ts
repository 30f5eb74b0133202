import type { Http2ServerRequest } from "node:http2";
import type { IncomingMessage } from "node:http";
import type { ApiHeaders, ApiRequest } from "@kedge/machinery";
import type { SharedTimeout } from "./shared-timeout.ts";
import { maxBodyBytes } from "../pipeline/pipeline.ts";

/** What ends the reading of a request before its end. */
export interface Reading {
  /** How long a client may take to send a body. */
  readonly timeout: SharedTimeout;
  readonly signal: AbortSignal;
}

/** Reads a request to its end; of a body that is too big, only as much is kept as shows that it is. */
export async function readRequest(
  incoming: Http2ServerRequest | IncomingMessage,
  { timeout, signal }: Reading,
): Promise<ApiRequest> {
  const head = requestHead(incoming);
  if (!hasBody(incoming)) return { ...head, signal };
  const stop = timeout.begin(() => void incoming.destroy());
  try {
    return { ...head, body: await bodyOf(incoming, signal), signal };
  } finally {
    stop();
  }
}

/** Most requests of HTTP/2 say with their head that nothing follows. */
function hasBody(incoming: Http2ServerRequest | IncomingMessage): boolean {
  return !("stream" in incoming && incoming.stream.endAfterHeaders);
}

function bodyOf(incoming: Http2ServerRequest | IncomingMessage, signal: AbortSignal): Promise<Uint8Array> {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  const chunks: Uint8Array[] = [];
  let size = 0;
  const giveUp = (): void => {
    incoming.destroy();
    reject(new Error("the client has gone"));
  };
  const stopListening = (): void => signal.removeEventListener("abort", giveUp);
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
    stopListening();
    reject(new Error("the body was cut off"));
  });
  return promise;
}

/** A request without its body. */
export function requestHead(
  incoming: Pick<IncomingMessage, "method" | "url" | "rawHeaders">,
): Pick<ApiRequest, "method" | "path" | "headers"> {
  return {
    method: incoming.method ?? "GET",
    path: incoming.url ?? "/",
    headers: headersOf(incoming.rawHeaders),
  };
}

function headersOf(raw: readonly string[]): ApiHeaders {
  // No object: a header may be called `constructor`.
  const headers = new Map<string, string | string[]>();
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = (raw[at] ?? "").toLowerCase().replace(/^:authority$/u, "host");
    const value = raw[at + 1] ?? "";
    if (name.startsWith(":")) continue;
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : [...[before].flat(), value]);
  }
  return Object.fromEntries(headers);
}
