import { once } from "node:events";
import { connect, isIP, type Socket } from "node:net";
import { checkServerIdentity, connect as connectTls, type TLSSocket } from "node:tls";
import type { ClientCertificate, ClientConfig } from "../config/types.ts";
import { abortFailure, transportFailure } from "../failures.ts";
import { openTunnel } from "./tunnel.ts";

/** A connected socket, and the protocol that TLS agreed on. */
export interface Connection {
  readonly socket: Socket;
  readonly protocol: "h2" | "http/1.1";
}

/** What a connection is made of: where, whom to trust, which certificate to show. */
export interface DialOptions {
  readonly config: ClientConfig;
  readonly clientCertificate: ClientCertificate | undefined;
  /** Protocols to offer, best first. */
  readonly protocols: readonly ("h2" | "http/1.1")[];
  /** Bounds the making of the connection only. */
  readonly signal: AbortSignal;
}

/** Connects to the API server, through its proxy if it has one. Rejects with a `ClientError`. */
export async function dial(options: DialOptions): Promise<Connection> {
  const { config, signal } = options;
  const url = new URL(config.server);
  const secure = url.protocol === "https:";
  const host = url.hostname.startsWith("[") ? url.hostname.slice(1, -1) : url.hostname;
  const port = url.port === "" ? (secure ? 443 : 80) : Number(url.port);
  let socket: Socket | undefined;
  try {
    signal.throwIfAborted();
    if (config.proxy !== undefined) socket = await openTunnel(new URL(config.proxy), { host, port }, signal);
    if (secure) {
      const tls = startTls(socket, host, port, options);
      socket = tls;
      await once(tls, "secureConnect", { signal });
      return { socket: tune(tls), protocol: tls.alpnProtocol === "h2" ? "h2" : "http/1.1" };
    }
    if (socket === undefined) {
      socket = connect({ host, port });
      await once(socket, "connect", { signal });
    }
    return { socket: tune(socket), protocol: "http/1.1" };
  } catch (error) {
    socket?.destroy();
    if (signal.aborted) throw abortFailure(signal, `connecting to ${config.server}`);
    throw transportFailure(error, config.server, "connect");
  }
}

function startTls(via: Socket | undefined, host: string, port: number, options: DialOptions): TLSSocket {
  const { trust } = options.config;
  const name = trust.serverName ?? host;
  return connectTls({
    host,
    port,
    ...(via !== undefined && { socket: via }),
    // The server name extension never carries an address (RFC 6066); the check below takes either.
    ...(isIP(name) === 0 && { servername: name }),
    checkServerIdentity: (_host, certificate) => checkServerIdentity(name, certificate),
    ALPNProtocols: [...options.protocols],
    rejectUnauthorized: trust.insecure !== true,
    ...(trust.ca !== undefined && { ca: trust.ca }),
    ...(options.clientCertificate !== undefined && {
      cert: options.clientCertificate.certificate,
      key: options.clientCertificate.key,
    }),
  });
}

/** Keep-alive probes find a dead peer on connections that HTTP/2 pings do not guard. */
function tune(socket: Socket): Socket {
  return socket.setNoDelay(true).setKeepAlive(true, 30_000);
}
