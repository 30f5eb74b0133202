import type { IncomingMessage } from "node:http";
import { Agent, request as httpsRequest } from "node:https";
import { isIP } from "node:net";
import { hasCode, StatusError, statusFromResponse, type Clock, type Random } from "@kedge/machinery";
import type { ObjectReader } from "../registry/types.ts";
import { dialFailure } from "./dial-failure.ts";
import type { Endpoint } from "./endpoint.ts";
import { serviceAddress, type Address } from "./service-address.ts";

/** What webhooks are called with. */
export interface WebhookClientOptions {
  readonly objects: ObjectReader;
  readonly clock: Clock;
  readonly random: Random;
}

/** A call: a body is posted, and the body of the answer is what comes back. */
export interface Call {
  readonly endpoint: Endpoint;
  readonly body: Buffer;
  /** Milliseconds that it may take in all. */
  readonly patience: number;
  /** Gives it up. */
  readonly signal?: AbortSignal | undefined;
}

/** An answer may have so many bytes: twice as many as a request, for patches come in base64. */
const longestAnswer = 6 * 1024 * 1024;
/** So many bytes of an answer that is no success are read. */
const longestRefusal = 16 * 1024;
/** So many webhooks keep their connections; of more, those that were not called for the longest time lose them. */
const mostAgents = 64;
/** So many calls of one webhook are on their way at once; others wait, as long as they may. */
const mostConnections = 128;

/** Connections that nobody uses are closed after so many milliseconds. */
const longestIdle = 90_000;

/** Calls webhooks over HTTPS, by connections that it keeps. */
export class WebhookClient {
  readonly #options: WebhookClientOptions;
  readonly #agents = new Map<string, Agent>();

  constructor(options: WebhookClientOptions) {
    this.#options = options;
  }

  /** Posts JSON. Rejects with an `Error` that says what went wrong as Go says it, or with the `StatusError` of a refusal. */
  async post({ endpoint, body, patience, signal }: Call): Promise<Buffer> {
    const { clock } = this.#options;
    using deadline = clock.deadline(patience, signal);
    const target = targetOf(endpoint.url, patience);
    const call = { endpoint, target, body, signal: deadline.signal };
    try {
      return await clock.track(this.#exchange(call));
    } catch (error) {
      if (error instanceof StatusError || error instanceof EmptyAnswer) throw error;
      const why = dialFailure(error, deadline.signal);
      throw new Error(`Post ${JSON.stringify(`${target.origin}${target.path}`)}: ${why}`, { cause: error });
    }
  }

  /** Closes all connections. */
  close(): void {
    for (const agent of this.#agents.values()) agent.destroy();
    this.#agents.clear();
  }

  async #exchange(call: Exchange): Promise<Buffer> {
    const address = this.#addressOf(call);
    const agent = this.#agentOf(call.endpoint);
    const first = send(call, address, agent);
    try {
      return await first.answer;
    } catch (error) {
      // The webhook closed a connection that it had kept, before it knew of the call.
      if (!first.isReused() || !hasCode(error, "ECONNRESET") || call.signal.aborted) throw error;
      return await send(call, address, agent).answer;
    }
  }

  #addressOf({ endpoint: { service }, target }: Exchange): Address {
    const { objects, random } = this.#options;
    return service === undefined ? target : serviceAddress(objects, service, random);
  }

  /** Those that trust the same authorities may share connections: the agent tells addresses apart. */
  #agentOf({ authority }: Endpoint): Agent {
    const key = authority ?? "";
    const known = this.#agents.get(key);
    const agent =
      known ??
      new Agent({
        keepAlive: true,
        maxSockets: mostConnections,
        maxFreeSockets: 8,
        timeout: longestIdle,
        ...(authority !== undefined && { ca: authority }),
      });
    this.#agents.delete(key);
    this.#agents.set(key, agent);
    const [oldest] = this.#agents.keys();
    // What is on its way there is finished; then its connections are idle, and closed.
    if (this.#agents.size > mostAgents && oldest !== undefined) this.#agents.delete(oldest);
    return agent;
  }
}

/** Nothing went wrong, but there is nothing to read either. */
class EmptyAnswer extends Error {}

interface Target extends Address {
  /** As it was given: `https://example.com:443`. */
  readonly origin: string;
  /** With the query. */
  readonly path: string;
  /** As the webhook is told, and as its certificate names it. */
  readonly authority: string;
}

/** Takes a URL apart without changing how it is written: errors show it. Validation has seen that it is one. */
function targetOf(url: string, patience: number): Target {
  const {
    origin = "",
    authority = "",
    path = "",
  } = /^(?<origin>https:\/\/(?<authority>[^/]*))(?<path>.*)$/u.exec(url)?.groups ?? {};
  const { hostname, port } = new URL(`https://${authority}/`);
  const query = `?timeout=${Math.ceil(patience / 1000)}s`;
  return {
    origin,
    authority,
    path: `${path === "" ? "/" : path}${query}`,
    host: hostname.replaceAll(/[[\]]/gu, ""),
    port: port === "" ? 443 : Number(port),
  };
}

interface Exchange {
  readonly endpoint: Endpoint;
  readonly target: Target;
  readonly body: Buffer;
  readonly signal: AbortSignal;
}

function send(
  { target, body, signal }: Exchange,
  { host, port }: Address,
  agent: Agent,
): { readonly answer: Promise<Buffer>; readonly isReused: () => boolean } {
  const sent = httpsRequest({
    host,
    port,
    path: target.path,
    method: "POST",
    agent,
    // Addresses are never names of servers: then the certificate has to be for the address.
    ...(isIP(target.host) === 0 && { servername: target.host }),
    headers: {
      host: target.authority,
      accept: "application/json, */*",
      "content-type": "application/json",
      "content-length": body.length,
      "user-agent": "kube-apiserver-admission",
    },
  });
  const answer = new Promise<Buffer>((resolve, reject) => {
    const abort = (): void => {
      sent.destroy(signal.reason instanceof Error ? signal.reason : undefined);
    };
    sent.on("error", reject);
    sent.once("response", (response) => {
      read(response).then(resolve, (error: unknown) => {
        sent.destroy();
        reject(error instanceof Error ? error : new Error(String(error)));
      });
    });
    sent.once("close", () => {
      signal.removeEventListener("abort", abort);
    });
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
    sent.end(body);
  });
  return { answer, isReused: () => sent.reusedSocket };
}

async function read(response: IncomingMessage): Promise<Buffer> {
  const code = response.statusCode ?? 500;
  const isGood = code >= 200 && code <= 206;
  const most = isGood ? longestAnswer : longestRefusal;
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of response) {
    if (!Buffer.isBuffer(piece)) continue;
    pieces.push(piece);
    length += piece.length;
    if (length <= most) continue;
    if (!isGood) break;
    throw new Error(`the answer has more than ${most} bytes`);
  }
  const body = Buffer.concat(pieces);
  const contentType = response.headers["content-type"];
  if (isGood && length === 0)
    throw new EmptyAnswer(
      `0-length response with status code: ${code} and content type: ${contentType ?? ""}`,
    );
  if (isGood) return body;
  throw new StatusError(statusFromResponse(code, body.toString("utf8"), { verb: "POST", contentType }));
}
