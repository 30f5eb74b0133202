import { once } from "node:events";
import {
  createSecureServer,
  type Http2SecureServer,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { TLSSocket } from "node:tls";
import { inBackground, silentLogger, type Logger } from "@kedge/machinery";
import type { ApiServer } from "../api-server.ts";
import { headerOf } from "../request/header.ts";
import { AwaitedRequests } from "./awaited-requests.ts";
import { peerUser } from "./peer-user.ts";
import { readRequest, requestHead, streamHead, type RequestHead } from "./read-request.ts";
import { refuseSocket, statusOfParseError } from "./refuse-socket.ts";
import { SharedTimeout } from "../request/shared-timeout.ts";
import type { HttpsDoor, ListenOptions, ServingCertificate } from "./types.ts";
import { Upgrades } from "./upgrade.ts";
import { writeResponse, type Outgoing } from "./write-response.ts";

/** So long a client may take to send the body of a request, in milliseconds. */
const bodyTimeout = 60_000;
/** So long requests may take to finish when the door closes, in milliseconds. */
const closeGrace = 2_000;
/** So long a connection may take to become a secure one: Node notices late, or not at all, that its client has gone. */
const handshakeTimeout = 10_000;

/** Opens the HTTPS door: HTTP/2 and HTTP/1.1 on one port, client certificates welcome, WebSockets for streams. */
export async function listen(server: Pick<ApiServer, "doorFor">, options: ListenOptions): Promise<HttpsDoor> {
  const { serving, clientAuthority, host, port } = options;
  const secure = createSecureServer({
    allowHTTP1: true,
    cert: serving.certificate,
    key: serving.key,
    ca: clientAuthority,
    requestCert: true,
    // Whom we cannot verify may still have a token, or ask for health.
    rejectUnauthorized: false,
    settings: { maxConcurrentStreams: 1000 },
    handshakeTimeout,
    // Node would close a connection of HTTP/1.1 that rests for 5 seconds: how long it may is ours to say.
    http1Options: { keepAliveTimeout: 0 },
  });
  const door = new OpenDoor(server, secure, options);
  secure.listen(port, host);
  await once(secure, "listening");
  return door;
}

class OpenDoor implements HttpsDoor {
  readonly #server: Pick<ApiServer, "doorFor">;
  readonly #secure: Http2SecureServer;
  readonly #options: ListenOptions;
  readonly #logger: Logger;
  readonly #upgrades: Upgrades;
  readonly #awaited: AwaitedRequests;
  readonly #bodies: SharedTimeout;
  readonly #sockets = new Set<TLSSocket>();
  readonly #exchanges = new Set<AbortController>();

  constructor(server: Pick<ApiServer, "doorFor">, secure: Http2SecureServer, options: ListenOptions) {
    this.#server = server;
    this.#secure = secure;
    this.#options = options;
    this.#logger = options.logger ?? silentLogger;
    this.#upgrades = new Upgrades({ logger: this.#logger, clock: options.clock });
    this.#awaited = new AwaitedRequests(options.clock);
    this.#bodies = new SharedTimeout(options.clock, bodyTimeout);
    const report = (error: unknown): void => this.#logger.error("An exchange failed", { error });
    secure.on("secureConnection", (socket: TLSSocket) => this.#track(socket));
    secure.on("session", (session) => this.#trackSession(session));
    secure.on("request", (incoming: IncomingMessage, outgoing: ServerResponse) => {
      this.#awaitNext(incoming, outgoing);
      inBackground(this.#exchange(incoming, outgoing, requestHead(incoming)), report);
    });
    // Whoever listens to requests has those of HTTP/2 made of their streams, which costs more than it gives.
    secure.removeAllListeners("stream");
    secure.on("stream", (stream: ServerHttp2Stream, _headers: object, _flags: number, raw: string[]) => {
      const head = streamHead(raw);
      if (headerOf(head.headers, "expect") === "100-continue") stream.additionalHeaders({ ":status": 100 });
      inBackground(this.#exchange(stream, stream, head), report);
    });
    secure.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      inBackground(this.#upgrade(request, socket, head), report);
    });
    secure.on("clientError", (error: Error, socket: Duplex) => {
      this.#logger.debug("A request could not be parsed", { error });
      this.#refuse(socket, statusOfParseError(error));
    });
    for (const name of ["error", "sessionError", "tlsClientError"] as const) {
      secure.on(name, (error: Error) => this.#logger.debug("A connection failed", { error, event: name }));
    }
  }

  get port(): number {
    const address = this.#secure.address();
    return typeof address === "object" && address !== null ? address.port : this.#options.port;
  }

  renew({ certificate, key }: ServingCertificate): void {
    this.#secure.setSecureContext({ cert: certificate, key, ca: this.#options.clientAuthority });
  }

  async close(): Promise<void> {
    const { clock } = this.#options;
    const closed = new Promise<void>((resolve) => {
      this.#secure.close(() => resolve());
    });
    for (const exchange of this.#exchanges) exchange.abort();
    this.#upgrades.close();
    const grace = clock.timer(closeGrace, () => {
      for (const socket of this.#sockets) socket.destroy();
    });
    // Connections without a request would hold the door open until the clients give up.
    for (const socket of this.#sockets) socket.end();
    await clock.track(closed);
    grace.cancel();
    this.#bodies.close();
  }

  #track(socket: TLSSocket): void {
    this.#sockets.add(socket);
    socket.on("error", (error) => this.#logger.debug("A connection failed", { error }));
    if (socket.alpnProtocol !== "h2") {
      readAsStream(socket);
      this.#awaited.opened(socket, () => this.#refuse(socket, 408));
    }
    socket.once("close", () => {
      this.#sockets.delete(socket);
      this.#awaited.closed(socket);
    });
  }

  #refuse(socket: Duplex, status: number): void {
    refuseSocket(socket, status);
    if (!socket.destroyed) this.#awaited.opened(socket, () => socket.destroy());
  }

  /** A connection of HTTP/2 that has had a request may rest as long as it likes: clients keep theirs. */
  #trackSession(session: ServerHttp2Session): void {
    this.#awaited.opened(session, () => session.destroy());
    session.once("stream", () => this.#awaited.came(session));
    session.once("close", () => this.#awaited.closed(session));
  }

  /** One request of HTTP/1.1 at a time: while it is answered, no other is awaited. */
  #awaitNext({ socket }: IncomingMessage, outgoing: ServerResponse): void {
    if (!(socket instanceof TLSSocket) || !this.#sockets.has(socket)) return;
    this.#awaited.came(socket);
    outgoing.once("close", () => {
      if (this.#sockets.has(socket)) this.#awaited.answered(socket, () => socket.destroy());
    });
  }

  async #exchange(
    incoming: ServerHttp2Stream | IncomingMessage,
    outgoing: Outgoing,
    head: RequestHead,
  ): Promise<void> {
    const ending = new AbortController();
    this.#exchanges.add(ending);
    const gone = (): void => {
      if (!outgoing.writableEnded) ending.abort();
    };
    outgoing.once("close", gone);
    outgoing.on("error", gone);
    const { clock } = this.#options;
    const { signal } = ending;
    try {
      const { handle } = this.#server.doorFor(peerUser(incoming));
      const request = await readRequest(incoming, head, { timeout: this.#bodies, signal });
      await writeResponse(outgoing, await handle(request), { signal, clock });
    } catch (error) {
      this.#logger.debug("An exchange broke", { error });
      // To end it would make half an answer look like a whole one.
      outgoing.destroy(error instanceof Error ? error : new Error(String(error)));
    } finally {
      this.#exchanges.delete(ending);
    }
  }

  async #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    this.#awaited.came(request.socket);
    try {
      const { upgrade } = this.#server.doorFor(peerUser(request));
      await this.#upgrades.serve(request, socket, { head, handler: upgrade });
    } catch (error) {
      this.#logger.debug("An upgrade broke", { error });
      socket.destroy();
    }
  }
}

/**
 * Has Node read a connection of HTTP/1.1 as any stream. By itself it lets the parser read from the TLS layer, which goes
 * on with what it has decrypted while the parser is paused, because a large answer is not out yet: whoever sends the next
 * request soon after would be cut off (HPE_PAUSED). It stops doing that when somebody else listens.
 */
function readAsStream(socket: TLSSocket): void {
  socket.on("data", () => undefined);
}
