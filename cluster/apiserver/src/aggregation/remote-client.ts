import type { IncomingMessage } from "node:http";
import { Agent, request as httpsRequest } from "node:https";
import type { Duplex } from "node:stream";
import type { Clock, Random } from "@kedge/machinery";
import type { ObjectReader } from "../registry/types.ts";
import { dialFailure } from "../webhook-client/dial-failure.ts";
import { serviceAddress, type Address } from "../webhook-client/service-address.ts";
import type { SentHeaders } from "./remote-headers.ts";
import type { RemoteService } from "./types.ts";

/** What other servers are asked with. */
export interface RemoteClientOptions {
  readonly objects: ObjectReader;
  readonly clock: Clock;
  readonly random: Random;
  /** What this server shows them, so that they believe whom it speaks for: PEM. Default: nothing. */
  readonly certificate?: { readonly certificate: string; readonly key: string } | undefined;
}

/** A request to another server. */
export interface RemoteRequest {
  readonly method: string;
  /** With the query, as on the wire. */
  readonly path: string;
  readonly headers: SentHeaders;
  readonly body?: string | Uint8Array | undefined;
  /** Milliseconds until the answer has to begin; undefined: as long as it takes, when there is a connection. */
  readonly patience: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A connection that has become another. */
export interface Switched {
  readonly answer: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** How long a connection may take to come about. */
const connectPatience = 30_000;
/** So many servers keep their connections; of more, those that were not asked for the longest time lose them. */
const mostAgents = 64;
/** So many requests of one server are on their way at once, watches included. */
const mostConnections = 1024;
/** Connections that nobody uses are closed after so many milliseconds. */
const longestIdle = 90_000;

/** Asks other servers over HTTPS, by connections that it keeps. */
export class RemoteClient {
  readonly #options: RemoteClientOptions;
  readonly #agents = new Map<string, Agent>();

  constructor(options: RemoteClientOptions) {
    this.#options = options;
  }

  /** One of the places where it is served. Throws why there is none. */
  addressOf({ service }: RemoteService): Address {
    return serviceAddress(this.#options.objects, service, this.#options.random);
  }

  /** Sends a request; resolves when the answer begins. Rejects with what Go would say. */
  async send(remote: RemoteService, address: Address, request: RemoteRequest): Promise<IncomingMessage> {
    const found = await this.#open(remote, address, { ...request, agent: this.#agentOf(remote) });
    if (!("socket" in found && "head" in found)) return found;
    found.socket.destroy();
    throw new Error("the server switched to a protocol that nobody asked for");
  }

  /** Reads an answer to its end, in the time that the request has: its status, and its body if that is 200. */
  async read(
    remote: RemoteService,
    request: RemoteRequest & { readonly patience: number },
    most: number,
  ): Promise<{ readonly status: number; readonly body: Buffer }> {
    const { clock } = this.#options;
    using deadline = clock.deadline(request.patience, request.signal);
    const limited = { ...request, signal: deadline.signal };
    return await clock.track(readWhole(await this.send(remote, this.addressOf(remote), limited), most));
  }

  /** The same of a request to switch protocols, on a connection of its own: it may be refused by an answer. */
  async switch(
    remote: RemoteService,
    address: Address,
    request: RemoteRequest,
  ): Promise<IncomingMessage | Switched> {
    return await this.#open(remote, address, { ...request, agent: false });
  }

  /** Closes all connections. */
  close(): void {
    for (const agent of this.#agents.values()) agent.destroy();
    this.#agents.clear();
  }

  async #open(
    remote: RemoteService,
    { host, port }: Address,
    {
      method,
      path,
      headers,
      body,
      patience,
      signal,
      agent,
    }: RemoteRequest & { readonly agent: Agent | false },
  ): Promise<IncomingMessage | Switched> {
    const { clock } = this.#options;
    using deadline = clock.deadline(patience ?? connectPatience, signal);
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage | Switched>();
    try {
      deadline.signal.throwIfAborted();
      const sent = httpsRequest({
        ...this.#tlsOf(remote),
        host,
        port,
        path,
        method,
        agent,
        headers: {
          ...headers,
          ...lengthOf(body),
          host: hostAndPort({ host, port }),
        },
      });
      const cut = (): void => {
        sent.destroy(deadline.signal.reason instanceof Error ? deadline.signal.reason : undefined);
      };
      const keep = (): void => deadline.signal.removeEventListener("abort", cut);
      const end = (): void => void sent.destroy();
      sent.on("error", reject);
      sent.once("response", resolve);
      sent.once("upgrade", (answer: IncomingMessage, socket: Duplex, head: Buffer) => {
        socket.on("error", end);
        resolve({ answer, socket, head });
      });
      // A switch of protocols that nobody waits for is no error by itself.
      sent.once("close", () => {
        signal?.removeEventListener("abort", end);
        reject(new Error("EOF"));
      });
      // Without patience of its own, the deadline is for the connection only.
      if (patience === undefined)
        sent.once("socket", (socket) => {
          if (socket.connecting) socket.once("secureConnect", keep);
          else keep();
        });
      deadline.signal.addEventListener("abort", cut, { once: true });
      signal?.addEventListener("abort", end, { once: true });
      sent.end(body);
      try {
        return await clock.track(promise);
      } finally {
        keep();
      }
    } catch (error) {
      throw new Error(dialFailure(error, deadline.signal), { cause: error });
    }
  }

  /** Those that trust the same authorities and names may share connections: the agent tells addresses apart. */
  #agentOf(remote: RemoteService): Agent {
    const key = JSON.stringify([serverName(remote), remote.authority, remote.insecure]);
    const agent =
      this.#agents.get(key) ??
      new Agent({ keepAlive: true, maxSockets: mostConnections, maxFreeSockets: 8, timeout: longestIdle });
    this.#agents.delete(key);
    this.#agents.set(key, agent);
    const [oldest] = this.#agents.keys();
    // What is on its way there is finished; then its connections are idle, and closed.
    if (this.#agents.size > mostAgents && oldest !== undefined) this.#agents.delete(oldest);
    return agent;
  }

  #tlsOf(remote: RemoteService) {
    const { certificate } = this.#options;
    return {
      servername: serverName(remote),
      ...(remote.authority !== undefined && { ca: remote.authority }),
      ...(remote.insecure && { rejectUnauthorized: false }),
      ...(certificate !== undefined && { cert: certificate.certificate, key: certificate.key }),
    };
  }
}

/** As URLs and the header `Host` have it. */
export function hostAndPort({ host, port }: Address): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** As its certificate names it, wherever its Service leads. */
function serverName({ service }: RemoteService): string {
  return `${service.name}.${service.namespace}.svc`;
}

/** Of a method that seldom has a body, Node.js sends one without its length: it would be taken for another request. */
function lengthOf(body: RemoteRequest["body"]): SentHeaders {
  const length = body === undefined ? 0 : Buffer.byteLength(body);
  return length === 0 ? {} : { "content-length": String(length) };
}

async function readWhole(answer: IncomingMessage, most: number): Promise<{ status: number; body: Buffer }> {
  const status = answer.statusCode ?? 0;
  if (status === 200) return { status, body: await readBody(answer, most) };
  answer.destroy();
  return { status, body: Buffer.alloc(0) };
}

/** Reads the body of an answer. Rejects when it has more bytes than `most`. */
export async function readBody(answer: IncomingMessage, most: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of answer) {
    if (!Buffer.isBuffer(piece)) continue;
    pieces.push(piece);
    length += piece.length;
    if (length > most) throw new Error(`the answer has more than ${most} bytes`);
  }
  return Buffer.concat(pieces);
}
