import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { ApiHeaders, ApiResponse, Clock, MessageStream } from "@kedge/machinery";
import { longestMessage } from "@kedge/machinery/streams";
import { WebSocket } from "ws";
import { ClientError } from "../client-error.ts";
import { bodyOf } from "./body.ts";
import { abortFailure, transportFailure } from "../failures.ts";
import { nodeHeaders } from "./node-headers.ts";
import { untilAborted } from "./until-aborted.ts";
import { clientStream } from "./websocket-stream.ts";

/** What is needed to open a WebSocket. */
export interface WebSocketOptions {
  /** With the schema `https:` or `wss:`, `http:` or `ws:`. It gives path and Host; where to connect is decided below. */
  readonly url: string;
  readonly headers: ApiHeaders;
  /** Subprotocols in the order of preference. The server must choose one of them. */
  readonly protocols: readonly string[];
  /** Aborting it ends the handshake, the stream or the refusal's body, wherever we are. */
  readonly signal?: AbortSignal | undefined;
  readonly clock: Clock;
  /** Makes the connection, TLS included, for HTTP/1.1. It belongs to us from then on. */
  readonly createConnection: () => Promise<Socket>;
}

/**
 * Opens a WebSocket, or gives the answer with which the server refused it. Rejects with a `ClientError`.
 * There is no compression of messages: it would cost more than it saves, and Kubernetes does not offer it.
 */
export async function openWebSocket(options: WebSocketOptions): Promise<MessageStream | ApiResponse> {
  const { signal } = options;
  const { origin, pathname } = new URL(options.url.replace(/^ws/, "http"));
  const names: Names = { what: `GET ${origin}${pathname}`, where: origin };
  if (signal?.aborted === true) throw abortFailure(signal, names.what);
  const socket = await connect(options, names);
  return await handshake(socket, options, names);
}

/** How messages speak of the exchange, and of the server. The query is left out: it may hold a whole command. */
interface Names {
  readonly what: string;
  readonly where: string;
}

async function connect(options: WebSocketOptions, names: Names): Promise<Socket> {
  const connecting = options.createConnection();
  try {
    return await untilAborted(connecting, options.signal, names.what);
  } catch (error) {
    connecting.then(
      (late) => late.destroy(),
      () => undefined,
    );
    throw transportFailure(error, names.where, "connect");
  }
}

function handshake(
  socket: Socket,
  options: WebSocketOptions,
  names: Names,
): Promise<MessageStream | ApiResponse> {
  const { signal, clock } = options;
  return new Promise((resolve, reject) => {
    const ws = startWebSocket(socket, options);
    let upgraded = false;
    const onAbort = (): void => {
      if (signal !== undefined) reject(abortFailure(signal, names.what));
      ws.terminate();
    };
    const onError = (error: Error): void => {
      release();
      reject(handshakeFailure(error, upgraded, options, names));
    };
    /** The connection has served its purpose. */
    const release = (): void => {
      signal?.removeEventListener("abort", onAbort);
      socket.destroy();
    };
    ws.on("error", onError);
    ws.once("upgrade", () => {
      upgraded = true;
    });
    ws.once("open", () => {
      signal?.removeEventListener("abort", onAbort);
      ws.off("error", onError);
      resolve(clientStream(ws, { ...names, socket, clock, signal }));
    });
    ws.once("unexpected-response", (_request: unknown, answer: IncomingMessage) => {
      const headers = nodeHeaders(answer);
      const body = bodyOf(answer, headers, { ...names, signal, done: release });
      resolve({ status: answer.statusCode ?? 0, headers, body });
    });
    signal?.addEventListener("abort", onAbort, { once: true });
    if (signal?.aborted === true) onAbort();
  });
}

function startWebSocket(socket: Socket, options: WebSocketOptions): WebSocket {
  try {
    return new WebSocket(options.url, [...options.protocols], {
      perMessageDeflate: false,
      maxPayload: longestMessage,
      createConnection: () => socket,
      // Not by the `headers` option: it knows no header that is sent more than once.
      finishRequest: (request) => {
        for (const [name, value] of Object.entries(options.headers)) request.setHeader(name, value);
        request.end();
      },
    });
  } catch (error) {
    socket.destroy();
    throw new ClientError("USAGE", `cannot open a WebSocket to ${options.url}: ${String(error)}`, {
      cause: error,
    });
  }
}

function handshakeFailure(
  error: Error,
  upgraded: boolean,
  options: WebSocketOptions,
  names: Names,
): ClientError {
  const isNotHttp = "code" in error && String(error.code).startsWith("HPE_");
  if (!upgraded && !isNotHttp) return transportFailure(error, names.where, "exchange");
  return new ClientError("PROTOCOL", `${names.what}: the WebSocket handshake failed: ${error.message}`, {
    cause: error,
    hint: `a server that speaks one of ${options.protocols.join(", ")} is needed`,
  });
}
