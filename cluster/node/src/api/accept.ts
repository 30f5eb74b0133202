import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Clock, ServedStream } from "@kedge/machinery";
import { keepAlive, longestMessage, webSocketStream } from "@kedge/machinery/streams";
import { WebSocketServer, type WebSocket } from "ws";
import { serveSpdy, type SpdySession, type SpdyStream } from "../spdy/session.ts";
import { RequestError } from "./find-container.ts";

/** A request that wants its connection to become another. */
export interface UpgradeRequest {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** What a request asks its connection to become. Throws a 400 for what this node does not speak. */
export function wireOf({ request }: UpgradeRequest): "websocket" | "spdy" {
  const wanted = request.headers.upgrade ?? "";
  if (wanted.toLowerCase() === "websocket") return "websocket";
  if (wanted.toLowerCase() === "spdy/3.1") return "spdy";
  throw new RequestError(400, `this node speaks WebSocket and SPDY/3.1, not ${wanted}`);
}

/** Makes a stream of a request. Throws when there is no common protocol, the handshake is none, or the client has gone. */
export function acceptWebSocket(
  { request, socket, head }: UpgradeRequest,
  protocols: readonly string[],
  clock: Clock,
): ServedStream {
  const chosen = commonProtocol(request.headers["sec-websocket-protocol"], protocols);
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: longestMessage,
    // Pongs are sent with care: see `keepAlive`.
    autoPong: false,
    handleProtocols: () => chosen,
  });
  let accepted: WebSocket | undefined;
  // It calls back at once or never: when the client has gone, or was refused.
  server.handleUpgrade(request, socket, head, (webSocket) => {
    accepted = webSocket;
  });
  if (accepted === undefined) throw new RequestError(400, "the WebSocket handshake did not succeed");
  keepAlive(accepted, clock);
  return webSocketStream(accepted, { clock, takesText: true });
}

/** Makes a connection with many streams of a request. Throws when there is no common protocol, or the client has gone. */
export function acceptSpdy(
  { request, socket, head }: UpgradeRequest,
  protocols: readonly string[],
  options: { readonly clock: Clock; readonly onStream: (stream: SpdyStream) => void },
): SpdySession {
  const offered = [request.headers["x-stream-protocol-version"] ?? []].flat().join(",");
  const chosen = commonProtocol(offered, protocols);
  if (!socket.writable) throw new RequestError(400, "the client has gone");
  const lines = [
    "HTTP/1.1 101 Switching Protocols",
    "Connection: Upgrade",
    "Upgrade: SPDY/3.1",
    `X-Stream-Protocol-Version: ${chosen}`,
  ];
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  return serveSpdy(socket, { ...options, head });
}

function commonProtocol(header: string | undefined, protocols: readonly string[]): string {
  const offered = new Set((header ?? "").split(",").map((name) => name.trim()));
  const chosen = protocols.find((name) => offered.has(name));
  if (chosen !== undefined) return chosen;
  throw new RequestError(400, `no common protocol: this node speaks ${protocols.join(" and ")}`);
}
