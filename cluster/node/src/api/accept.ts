import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer, type WebSocket } from "ws";
import { RequestError } from "./find-container.ts";

/** A request that wants to become a WebSocket. */
export interface UpgradeRequest {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** The longest message that is taken, as Kubernetes' own servers do. */
const longestMessage = 32 * 1024 * 1024;

/**
 * Makes a WebSocket of a request. It is paused: whoever serves it resumes it, once somebody listens, so that no message
 * is lost on the way. Throws when there is no common protocol, the handshake is none, or the client has gone.
 */
export function accept({ request, socket, head }: UpgradeRequest, protocols: readonly string[]): WebSocket {
  const header = request.headers["sec-websocket-protocol"] ?? "";
  const offered = new Set(header.split(",").map((name) => name.trim()));
  const chosen = protocols.find((name) => offered.has(name));
  if (chosen === undefined) {
    throw new RequestError(400, `no common protocol: this node speaks ${protocols.join(" and ")}`);
  }
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
    webSocket.pause();
  });
  if (accepted === undefined) throw new RequestError(400, "the WebSocket handshake did not succeed");
  return accepted;
}
