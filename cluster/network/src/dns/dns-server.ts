import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import { once } from "node:events";
import { createServer, type Server, type Socket as Connection } from "node:net";
import { inBackground, type Clock, type Logger, type Random } from "@kedge/machinery";
import type { ClusterNames } from "./cluster-names.ts";
import { forward, upstreamServers } from "./forward.ts";
import { createLimit, type Limit } from "./limit.ts";
import { readQuery } from "./read-query.ts";
import { followBeyond } from "./follow-beyond.ts";
import { failure, lookUp, refusal, reply } from "./reply.ts";
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
  /** Whether servers on the machine's loopback are in reach. Default: yes; not from a network namespace of our own. */
  readonly loopback?: boolean;
  /** Where those listen: 53 unless given. */
  readonly upstreamPort?: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** A server that listens. */
export interface DnsServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Milliseconds that the next question of a connection may take, and its answer to be read. */
const idle = 10_000;
/** Connections, and questions that are passed on, at once: of all pods, and of one alone. */
const connectionLimit = { all: 128, each: 32 };
const forwardLimit = { all: 256, each: 64 };
/** No question is longer. */
const longestQuery = 4096;
/** Bytes of answers that wait to be sent as datagrams. More are dropped: who asks does so again. */
const mostWaiting = 1024 * 1024;

/** Answers names of the cluster, and passes others on. Resolves when it listens, by datagram and by connection. */
export async function startDnsServer(options: DnsServerOptions): Promise<DnsServer> {
  const { address, clock, logger } = options;
  const { loopback = true } = options;
  const upstream = options.upstream ?? (await upstreamServers(clock, { ours: address, loopback }));
  const forwards = createLimit(forwardLimit);
  const respond: Respond = async (message, { udp, client }) => {
    const read = readQuery(message);
    if (read.outcome === "ignore") return undefined;
    if (read.outcome !== "query") return refusal(read.id, read.outcome);
    const { query } = read;
    const found = lookUp(query, options);
    // Who is told that a name does not exist believes it; who is told of a failure asks another server.
    if (found.outcome !== "elsewhere" && !options.names.isComplete()) return failure(query);
    if (found.outcome !== "elsewhere" && !("leadsTo" in found))
      return reply(query, found, { ...options, udp });
    const done = forwards.take(client);
    if (done === undefined) return failure(query);
    try {
      const how = { udp, clock, random: options.random, port: options.upstreamPort };
      if (found.outcome === "elsewhere")
        return (await forward(message, query, upstream, how)) ?? failure(query);
      const beyond = await followBeyond(found.leadsTo ?? "", query.type, (asked, its) =>
        forward(asked, its, upstream, how),
      );
      return reply(query, found, { ...options, udp, beyond });
    } finally {
      done();
    }
  };
  const report = (error: unknown): void => logger.debug("A DNS question could not be answered", { error });
  const datagrams = createSocket("udp4");
  // A socket that listens must not take the process with it when the interface goes.
  datagrams.on("error", (error) => logger.warn("The DNS socket failed", { error }));
  datagrams.on("message", (message, from) => {
    // From nobody who could be answered.
    if (from.port === 0 || message.length > longestQuery) return;
    const work = async (): Promise<void> => {
      const answer = await respond(message, { udp: true, client: from.address });
      if (answer !== undefined) send(datagrams, answer, from);
    };
    inBackground(work(), report);
  });
  datagrams.bind(options.port ?? 53, address);
  await once(datagrams, "listening");
  const { port } = datagrams.address();
  const open = new Set<Connection>();
  try {
    const server = await listen(
      { address, port, open, limit: createLimit(connectionLimit) },
      (connection) => {
        inBackground(serve(connection, respond, clock), () => connection.destroy());
      },
    );
    server.on("error", (error) => logger.warn("The DNS socket failed", { error }));
    return { port, close: () => close(datagrams, server, open) };
  } catch (error) {
    datagrams.close();
    throw error;
  }
}

type Respond = (
  message: Buffer,
  asker: { readonly udp: boolean; readonly client: string },
) => Promise<Buffer | undefined>;

function send(datagrams: Socket, answer: Buffer, to: RemoteInfo): void {
  if (datagrams.getSendQueueSize() > mostWaiting) return;
  datagrams.send(answer, to.port, to.address, () => undefined);
}

interface Listening {
  readonly address: string;
  readonly port: number;
  readonly open: Set<Connection>;
  readonly limit: Limit;
}

async function listen(
  { address, port, open, limit }: Listening,
  handle: (connection: Connection) => void,
): Promise<Server> {
  const server = createServer((connection) => {
    connection.on("error", () => connection.destroy());
    const done = limit.take(connection.remoteAddress ?? "");
    if (done === undefined) {
      connection.destroy();
      return;
    }
    open.add(connection);
    connection.once("close", () => {
      open.delete(connection);
      done();
    });
    handle(connection);
  });
  server.maxConnections = connectionLimit.all;
  server.listen(port, address);
  await once(server, "listening");
  return server;
}

/** Answers one question after the other, no faster than the answers are read. */
async function serve(connection: Connection, respond: Respond, clock: Clock): Promise<void> {
  const client = connection.remoteAddress ?? "";
  const cut = (): void => void connection.destroy();
  let timer = clock.timer(idle, cut);
  try {
    for await (const message of messagesOf(connection, longestQuery)) {
      timer.cancel();
      timer = clock.timer(idle, cut);
      const answer = await respond(message, { udp: false, client });
      if (answer === undefined) break;
      if (!connection.write(lengthPrefixed(answer))) await once(connection, "drain");
    }
    connection.end();
  } finally {
    timer.cancel();
  }
}

async function close(datagrams: Socket, server: Server, open: ReadonlySet<Connection>): Promise<void> {
  datagrams.close();
  const closed = once(server, "close");
  server.close();
  for (const connection of open) connection.destroy();
  await closed;
}
