import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { createServer, type Server, type Socket as Connection } from "node:net";
import type { Clock, Logger, Random } from "@kedge/machinery";
import type { ClusterNames } from "./cluster-names.ts";
import { forward, upstreamServers } from "./forward.ts";
import { failure, reply } from "./reply.ts";
import { lengthPrefixed, messagesOf } from "./tcp-messages.ts";

/** What a DNS server is made with. */
export interface DnsServerOptions {
  readonly address: string;
  /** 53 unless given. */
  readonly port?: number;
  readonly domain: string;
  readonly names: ClusterNames;
  /** Where other names are asked for. Default: the machine's own servers. */
  readonly upstream?: readonly string[];
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** A server that listens. */
export interface DnsServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Milliseconds that a silent connection may stay. */
const idle = 10_000;
const mostConnections = 128;

/** Answers names of the cluster, and passes others on. Resolves when it listens, by datagram and by connection. */
export async function startDnsServer(options: DnsServerOptions): Promise<DnsServer> {
  const { address, clock, logger } = options;
  const upstream = options.upstream ?? (await upstreamServers(clock, [address]));
  const respond = async (query: Buffer, udp: boolean): Promise<Buffer | undefined> => {
    try {
      return (
        reply(query, { ...options, udp }) ??
        (await forward(query, upstream, { udp, clock })) ??
        failure(query)
      );
    } catch (error) {
      logger.debug("A DNS question could not be answered", { error });
      return failure(query);
    }
  };
  const datagrams = createSocket("udp4");
  datagrams.on("message", (query, from) => {
    void (async () => {
      const message = await respond(query, true);
      if (message !== undefined) datagrams.send(message, from.port, from.address, () => undefined);
    })();
  });
  datagrams.bind(options.port ?? 53, address);
  await once(datagrams, "listening");
  const { port } = datagrams.address();
  const connections = await listen({ address, port }, (connection) => serve(connection, respond));
  // A socket that listens must not take the process with it when the interface goes.
  datagrams.on("error", (error) => logger.warn("The DNS socket failed", { error }));
  return { port, close: () => close(datagrams, connections) };
}

async function listen(
  { address, port }: { readonly address: string; readonly port: number },
  handle: (connection: Connection) => Promise<void>,
): Promise<Server> {
  const server = createServer((connection) => {
    connection.setTimeout(idle, () => connection.destroy());
    connection.on("error", () => undefined);
    handle(connection).catch(() => connection.destroy());
  });
  server.maxConnections = mostConnections;
  server.listen(port, address);
  await once(server, "listening");
  return server;
}

async function serve(
  connection: Connection,
  respond: (query: Buffer, udp: boolean) => Promise<Buffer | undefined>,
): Promise<void> {
  for await (const query of messagesOf(connection)) {
    const message = await respond(query, false);
    if (message === undefined) break;
    connection.write(lengthPrefixed(message));
  }
  connection.end();
}

async function close(datagrams: Socket, connections: Server): Promise<void> {
  datagrams.close();
  connections.close();
  await Promise.resolve();
}
