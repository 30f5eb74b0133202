import { STATUS_CODES, type IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import {
  inBackground,
  keepAlive,
  type ApiResponse,
  type Clock,
  type Logger,
  type MessageStream,
  type UpgradeHandler,
  type UpgradeRequest,
} from "@kedge/machinery";
import { WebSocketServer, type RawData, type WebSocket } from "ws";
import { sendMessage } from "../web-socket/send-message.ts";
import { requestHead } from "./read-request.ts";

/** The longest message that is taken, as Kubernetes' own server does. */
const longestMessage = 32 * 1024 * 1024;

/** Turns requests to upgrade into message streams of the API server. */
export class Upgrades {
  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #protocols = new WeakMap<IncomingMessage, string>();
  readonly #server: WebSocketServer;
  readonly #open = new Set<WebSocket>();

  constructor({ logger, clock }: { readonly logger: Logger; readonly clock: Clock }) {
    this.#logger = logger;
    this.#clock = clock;
    this.#server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: longestMessage,
      // Pongs are sent with care: see `keepAlive`.
      autoPong: false,
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
    socket.on("error", () => ending.abort());
    if (socket.destroyed) ending.abort();
    const answer = await handler(upgradeRequest(request, ending.signal));
    if ("status" in answer) return await refuse(socket, answer);
    this.#protocols.set(request, answer.protocol);
    let joined = false;
    // It calls back at once or never: when the client has gone, or its handshake is none.
    this.#server.handleUpgrade(request, socket, head, (webSocket) => {
      joined = true;
      this.#open.add(webSocket);
      webSocket.once("close", () => this.#open.delete(webSocket));
      inBackground(this.#join(webSocket, answer), (error) => {
        this.#logger.debug("A stream broke", { error });
        webSocket.terminate();
      });
    });
    if (!joined) await answer.close();
  }

  /** Ends all streams. */
  close(): void {
    for (const webSocket of this.#open) webSocket.terminate();
    this.#server.close();
  }

  async #join(webSocket: WebSocket, stream: MessageStream): Promise<void> {
    webSocket.on("error", (error) => this.#logger.debug("A stream broke", { error }));
    webSocket.once("close", () => {
      inBackground(stream.close(), (error) => this.#logger.debug("A stream broke", { error }));
    });
    keepAlive(webSocket, this.#clock);
    let sending = 0;
    let over = false;
    const end = (code: number): void => {
      over = true;
      webSocket.close(code);
      // Its answer to that comes after whatever it has still sent.
      webSocket.resume();
    };
    webSocket.on("message", (data) => {
      if (over) return;
      sending += 1;
      webSocket.pause();
      const sent = (): void => {
        sending -= 1;
        if (sending === 0) webSocket.resume();
      };
      stream.send(bytesOf(data)).then(sent, () => end(1011));
    });
    try {
      for await (const message of stream.messages) await sendMessage(webSocket, message);
      end(1000);
    } catch (error) {
      this.#logger.debug("A stream broke", { error });
      end(1011);
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
  // Nobody reads it any more, so nobody would notice that the client has gone.
  socket.end(Buffer.concat([Buffer.from(head), body]), () => socket.destroy());
}
