import { STATUS_CODES, type IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { ApiResponse, Logger, MessageStream, UpgradeHandler, UpgradeRequest } from "@kedge/machinery";
import { WebSocketServer, type RawData, type WebSocket } from "ws";
import { sendMessage } from "../web-socket/send-message.ts";
import { requestHead } from "./read-request.ts";

/** Turns requests to upgrade into message streams of the API server. */
export class Upgrades {
  readonly #logger: Logger;
  readonly #protocols = new WeakMap<IncomingMessage, string>();
  readonly #server: WebSocketServer;
  readonly #open = new Set<WebSocket>();

  constructor(logger: Logger) {
    this.#logger = logger;
    this.#server = new WebSocketServer({
      noServer: true,
      perMessageDeflate: false,
      handleProtocols: (_offered, request) => this.#protocols.get(request) ?? false,
    });
  }

  /** Serves one upgrade. The socket is the handler's from here on. */
  async serve(
    request: IncomingMessage,
    socket: Duplex,
    { head, handler }: { head: Buffer; handler: UpgradeHandler },
  ): Promise<void> {
    const ending = new AbortController();
    socket.once("close", () => ending.abort());
    socket.once("error", () => ending.abort());
    const answer = await handler(upgradeRequest(request, ending.signal));
    if ("status" in answer) return await refuse(socket, answer);
    this.#protocols.set(request, answer.protocol);
    this.#server.handleUpgrade(request, socket, head, (webSocket) => {
      this.#open.add(webSocket);
      webSocket.once("close", () => this.#open.delete(webSocket));
      void this.#join(webSocket, answer);
    });
  }

  /** Ends all streams. */
  close(): void {
    for (const webSocket of this.#open) webSocket.terminate();
    this.#server.close();
  }

  async #join(webSocket: WebSocket, stream: MessageStream): Promise<void> {
    webSocket.on("error", (error) => this.#logger.debug("A stream broke", { error }));
    webSocket.once("close", () => void stream.close().catch(() => undefined));
    webSocket.on("message", (data) => {
      webSocket.pause();
      stream.send(bytesOf(data)).then(
        () => webSocket.resume(),
        () => webSocket.close(1011),
      );
    });
    try {
      for await (const message of stream.messages) await sendMessage(webSocket, message);
      webSocket.close(1000);
    } catch (error) {
      this.#logger.debug("A stream broke", { error });
      webSocket.close(1011);
    }
  }
}

function upgradeRequest(request: IncomingMessage, signal: AbortSignal): UpgradeRequest {
  const offered = request.headers["sec-websocket-protocol"] ?? "";
  const protocols = offered
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  return { ...requestHead(request), protocols, signal };
}

function bytesOf(data: RawData): Uint8Array {
  if (Array.isArray(data)) return Buffer.concat(data);
  return data instanceof ArrayBuffer ? new Uint8Array(data) : data;
}

/** An answer in plain HTTP on a socket that wanted to be another. */
async function refuse(socket: Duplex, response: ApiResponse): Promise<void> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  const lines = Object.entries(response.headers)
    .filter(([name]) => name !== "content-length")
    .flatMap(([name, values]) => [values].flat().map((value) => `${name}: ${value}`));
  const body = Buffer.concat(chunks);
  const head = [
    `HTTP/1.1 ${response.status} ${STATUS_CODES[response.status] ?? ""}`,
    ...lines,
    `content-length: ${body.length}`,
    "connection: close",
    "",
    "",
  ].join("\r\n");
  socket.end(Buffer.concat([Buffer.from(head), body]));
}
