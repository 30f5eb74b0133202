import { STATUS_CODES, type IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import {
  inBackground,
  type ApiResponse,
  type Clock,
  type Logger,
  type MessageStream,
  type SwitchedStream,
  type UpgradeHandler,
  type UpgradeRequest,
} from "@kedge/machinery";
import { joinStreams, keepAlive, longestMessage, webSocketStream } from "@kedge/machinery/streams";
import { WebSocketServer, type WebSocket } from "ws";
import { socketStream } from "../streams/socket-stream.ts";
import { requestHead } from "./read-request.ts";

/** Turns requests to upgrade into message streams of the API server. */
export class Upgrades {
  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #protocols = new WeakMap<IncomingMessage, string>();
  readonly #server: WebSocketServer;
  /** What cuts each open stream. */
  readonly #open = new Set<() => void>();

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
    if ("switched" in answer)
      return this.#serveBytes(socket, head, { inner: answer, headers: answer.switched });
    if (isSpdy(request))
      return this.#serveBytes(socket, head, { inner: answer, headers: spdyHeaders(answer) });
    this.#protocols.set(request, answer.protocol);
    let joined = false;
    // It calls back at once or never: when the client has gone, or its handshake is none.
    this.#server.handleUpgrade(request, socket, head, (webSocket) => {
      joined = true;
      const cut = (): void => webSocket.terminate();
      this.#open.add(cut);
      webSocket.once("close", () => this.#open.delete(cut));
      inBackground(this.#join(webSocket, answer), (error) => {
        this.#logger.debug("A stream broke", { error });
        cut();
      });
    });
    if (!joined) await answer.close();
  }

  /** Ends all streams. */
  close(): void {
    for (const cut of this.#open) cut();
    this.#server.close();
  }

  /** The client goes on in what it has agreed on with the other end; we only carry the bytes. */
  #serveBytes(
    socket: Duplex,
    head: Buffer,
    { inner, headers }: { readonly inner: MessageStream; readonly headers: SwitchedStream["switched"] },
  ): void {
    const { protocol } = inner;
    const lines = [
      "HTTP/1.1 101 Switching Protocols",
      ...headers.map(([name, value]) => `${name}: ${value}`),
    ];
    socket.write(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
    const cut = (): void => void socket.destroy();
    this.#open.add(cut);
    socket.once("close", () => this.#open.delete(cut));
    inBackground(
      joinStreams(socketStream(socket, { protocol, head, clock: this.#clock }), inner),
      (error) => {
        this.#logger.debug("A stream broke", { error });
        cut();
      },
    );
  }

  async #join(webSocket: WebSocket, inner: MessageStream): Promise<void> {
    keepAlive(webSocket, this.#clock);
    const sendsText = inner.protocol.includes("base64");
    const options = { clock: this.#clock, takesText: true, sendsText };
    await joinStreams(webSocketStream(webSocket, options), inner);
  }
}

function upgradeRequest(request: IncomingMessage, signal: AbortSignal): UpgradeRequest {
  const wire = isSpdy(request) ? "spdy" : "websocket";
  const header = wire === "spdy" ? "x-stream-protocol-version" : "sec-websocket-protocol";
  const protocols = [request.headers[header] ?? []]
    .flat()
    .join(",")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  return { ...requestHead(request), protocols, wire, signal };
}

function spdyHeaders({ protocol }: MessageStream): SwitchedStream["switched"] {
  return [
    ["Connection", "Upgrade"],
    ["Upgrade", "SPDY/3.1"],
    ...(protocol === "" ? [] : [["X-Stream-Protocol-Version", protocol] as const]),
  ];
}

function isSpdy({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === "spdy/3.1";
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
