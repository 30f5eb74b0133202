import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { Duplex } from "node:stream";
import { TLSSocket } from "node:tls";
import { inBackground } from "@kedge/machinery";
import type { CertificateWithKey } from "@kedge/pki";
import { answer } from "./answer.ts";
import type { NodeApiContext } from "./context.ts";
import { RequestError } from "./find-container.ts";
import { refuseUpgrade, upgradeTo } from "./upgrade.ts";

/** Where and how the node's API is served. */
export interface NodeApiOptions {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  readonly serving: CertificateWithKey;
  /** Who signs the certificates of callers: PEM. */
  readonly clientAuthority: string;
  /** Whose certificate it must be: the API server's. It is the one who knows what each user may do. */
  readonly clientName: string;
}

/** The node's HTTPS API, for the API server: logs, exec, attach, port-forward. */
export interface NodeApi extends AsyncDisposable {
  readonly port: number;
}

/** So many connections may be open, and so many milliseconds may pass until one has shown who it is. */
const mostConnections = 1024;
const handshakeTimeout = 10_000;

/**
 * Opens the node's API. Who shows no certificate of the authority is turned away before anything is read; whose
 * certificate is not the API server's gets a 403.
 */
export async function serveNodeApi(context: NodeApiContext, options: NodeApiOptions): Promise<NodeApi> {
  const stop = new AbortController();
  const server = createServer({
    key: options.serving.key,
    cert: options.serving.certificate,
    ca: options.clientAuthority,
    requestCert: true,
    rejectUnauthorized: true,
    handshakeTimeout,
  });
  server.maxConnections = mostConnections;
  const sockets = new Set<Duplex>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  const { clientName } = options;
  const report = (error: unknown): void =>
    context.logger.error("A request of the node's API failed", { error });
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const caller = callerOf(request);
    if (caller === clientName) inBackground(answer(context, request, response, stop.signal), report);
    else response.writeHead(403, { "content-type": "text/plain" }).end(forbidden(caller));
  });
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const caller = callerOf(request);
    if (caller === clientName) inBackground(upgradeTo(context, { request, socket, head }), report);
    else refuseUpgrade(socket, new RequestError(403, forbidden(caller)));
  });
  const port = await listen(server, options);
  // A connection that cannot be taken up is no reason to end.
  server.on("error", (error) => context.logger.warn("A connection to the node's API failed", { error }));
  return {
    port,
    async [Symbol.asyncDispose]() {
      stop.abort();
      const { promise, resolve } = Promise.withResolvers<void>();
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
      await promise;
    },
  };
}

/** The name in the certificate that the connection was made with. */
function callerOf({ socket }: IncomingMessage): string | undefined {
  const name: unknown = socket instanceof TLSSocket ? socket.getPeerCertificate().subject?.CN : undefined;
  return typeof name === "string" ? name : undefined;
}

/** As the kubelet says it. */
function forbidden(caller: string | undefined): string {
  return `Forbidden (user=${caller ?? ""}, verb=get, resource=nodes, subresource=proxy)`;
}

async function listen(server: Server, { host, port }: NodeApiOptions): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  server.once("error", reject);
  server.listen({ host, port }, () => {
    const address = server.address();
    resolve(typeof address === "object" && address !== null ? address.port : port);
  });
  return await promise;
}
