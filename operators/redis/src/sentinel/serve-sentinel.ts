import { createServer, type Server, type Socket } from "node:net";
import { selectorFromLabels, type Logger } from "@kedge/machinery";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import type { Informers, Listen } from "@kedge/runtime";
import { ReplyReader } from "../engine/resp.ts";
import { RedisInstance } from "../kind.ts";
import { appLabel, instanceLabel, labelsOf } from "../names.ts";
import { encodeAnswer, type Answer } from "./answer.ts";
import { Masters, type Instance } from "./masters.ts";
import { SentinelSession } from "./session.ts";

/** What a Sentinel endpoint needs. */
export interface SentinelOptions {
  readonly informers: Pick<Informers, "of" | "synced">;
  readonly listen: Listen;
  readonly logger: Logger;
  /** Told where it listens. */
  readonly onListening?: (address: { readonly host: string; readonly port: number }) => void;
}

/**
 * Serves Sentinel's protocol from what the caches know, until the signal aborts: clients that find their primary by
 * Sentinel need no Sentinels. It decides nothing, so that it may run beside every manager, also one that does not lead.
 * Call it before the informers are started.
 */
export async function serveSentinel(options: SentinelOptions, signal: AbortSignal): Promise<void> {
  const instances = options.informers.of(RedisInstance);
  const pods = options.informers.of(Pod, { labelSelector: appLabel });
  const masters = new Masters();
  const clients = new Set<Client>();
  const look = (instance: Instance | undefined): void => {
    if (instance === undefined) return;
    const { namespace, name } = instance.metadata;
    const selector = selectorFromLabels(labelsOf(name));
    for (const change of masters.set(instance, pods.list({ namespace, selector }))) {
      const address = `${change.to.host}:${change.to.port}`;
      options.logger.info("Sentinel clients are told of a new primary", { master: change.name, address });
      for (const client of clients) client.send(client.session.tell(change));
    }
  };
  const endings = [
    instances.onEvent(({ type, object }) => (type === "deleted" ? masters.delete(object) : look(object))),
    pods.onEvent(({ object: { metadata } }) => {
      const name = metadata.labels?.[instanceLabel];
      if (name !== undefined) look(instances.get({ namespace: metadata.namespace, name }));
    }),
  ];
  let number = 0;
  const server = createServer((socket) => {
    number += 1;
    const client = new Client(socket, new SentinelSession(() => masters.list, number));
    clients.add(client);
    socket.once("close", () => clients.delete(client));
  });
  server.maxConnections = mostClients;
  try {
    // Nobody is told that a master is unknown only because it has not been read yet.
    await options.informers.synced(signal);
    await listening(server, options, signal);
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
  } finally {
    for (const end of endings) end();
    server.close();
    for (const client of clients) client.end();
  }
}

const mostClients = 4096;
/** No command of Sentinel is longer than a few names. */
const mostBytesOfCommand = 16 * 1024;
/** Who does not read what it asked for is cut off. */
const mostBytesUnread = 1024 * 1024;

async function listening(
  server: Server,
  { listen, logger, onListening }: SentinelOptions,
  signal: AbortSignal,
): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(
      { port: listen.port, ...(listen.host !== undefined && { host: listen.host }), signal },
      resolve,
    );
  });
  server.on("error", (error) => logger.warn("The Sentinel endpoint failed to take a connection", { error }));
  const address = server.address();
  if (address === null || typeof address === "string") return;
  const { address: host, port } = address;
  logger.info("Sentinel's protocol is served", { host, port });
  onListening?.({ host, port });
}

/** One connection. */
class Client {
  readonly session: SentinelSession;
  readonly #socket: Socket;
  readonly #reader = new ReplyReader(mostBytesOfCommand);

  constructor(socket: Socket, session: SentinelSession) {
    this.session = session;
    this.#socket = socket;
    socket.setNoDelay(true).setKeepAlive(true, 60_000);
    // What became of it is told by `close`.
    socket.on("error", () => undefined);
    socket.on("data", (bytes: Buffer) => this.#take(bytes));
  }

  send(answers: readonly Answer[]): void {
    if (answers.length === 0 || this.#socket.destroyed) return;
    const { protocol } = this.session;
    this.#socket.write(answers.map((answer) => encodeAnswer(answer, protocol)).join(""));
    if (this.#socket.writableLength > mostBytesUnread) this.end();
  }

  end(): void {
    this.#socket.destroy();
  }

  #take(bytes: Buffer): void {
    try {
      for (const command of this.#reader.push(bytes)) {
        if (this.#socket.destroyed) return;
        const words = Array.isArray(command) ? command : [];
        if (words.length === 0 || !words.every((word) => typeof word === "string")) {
          throw new TypeError("a command is a list of texts");
        }
        this.send(this.session.answer(words));
        if (this.session.isOver) this.#socket.end();
      }
    } catch {
      this.send([{ error: "ERR Protocol error" }]);
      this.#socket.destroySoon();
    }
  }
}
