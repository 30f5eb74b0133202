import { once } from "node:events";
import { createSecureServer, type Http2SecureServer } from "node:http2";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { silentLogger, type Logger } from "@kedge/machinery";
import type { ApiServer } from "../api-server.ts";
import { peerUser } from "./peer-user.ts";
import { readRequest, type Incoming } from "./read-request.ts";
import type { HttpsDoor, ListenOptions, ServingCertificate } from "./types.ts";
import { Upgrades } from "./upgrade.ts";
import { writeResponse, type Outgoing } from "./write-response.ts";

/** So long a client may take to send a request, and requests to finish when the door closes, in milliseconds. */
const readDeadline = 60_000;
const closeGrace = 2_000;

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
  readonly #sockets = new Set<Socket>();
  readonly #exchanges = new Set<AbortController>();

  constructor(server: Pick<ApiServer, "doorFor">, secure: Http2SecureServer, options: ListenOptions) {
    this.#server = server;
    this.#secure = secure;
    this.#options = options;
    this.#logger = options.logger ?? silentLogger;
    this.#upgrades = new Upgrades(this.#logger);
    secure.on("secureConnection", (socket: Socket) => this.#track(socket));
    secure.on("request", (incoming, outgoing) => void this.#exchange(incoming, outgoing));
    secure.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      void this.#upgrade(request, socket, head);
    });
    for (const name of ["error", "sessionError", "tlsClientError", "clientError"] as const) {
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
    // Connections without a request would hold the door open until the clients tire.
    for (const socket of this.#sockets) socket.end();
    await clock.track(closed);
    grace.cancel();
  }

  #track(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("error", (error) => this.#logger.debug("A connection failed", { error }));
    socket.once("close", () => this.#sockets.delete(socket));
  }

  async #exchange(incoming: Incoming & { readonly socket: unknown }, outgoing: Outgoing): Promise<void> {
    const ending = new AbortController();
    this.#exchanges.add(ending);
    const gone = (): void => {
      if (!outgoing.writableEnded) ending.abort();
    };
    outgoing.once("close", gone);
    outgoing.once("error", gone);
    try {
      const { handle } = this.#server.doorFor(peerUser(incoming.socket));
      using deadline = this.#options.clock.deadline(readDeadline, ending.signal);
      const request = await readRequest(incoming, deadline.signal);
      await writeResponse(outgoing, await handle({ ...request, signal: ending.signal }), ending.signal);
    } catch (error) {
      this.#logger.debug("An exchange broke", { error });
      if (!outgoing.destroyed) outgoing.end();
    } finally {
      this.#exchanges.delete(ending);
    }
  }

  async #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    try {
      const { upgrade } = this.#server.doorFor(peerUser(request.socket));
      await this.#upgrades.serve(request, socket, { head, handler: upgrade });
    } catch (error) {
      this.#logger.debug("An upgrade broke", { error });
      socket.destroy();
    }
  }
}
