import { Agent, request as httpRequest } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { ApiRequest, ApiResponse } from "@kedge/machinery";
import { bodyOf } from "./body.ts";
import { abortFailure, transportFailure } from "../failures.ts";
import type { Lane } from "./lane.ts";
import { nodeHeaders } from "./node-headers.ts";

/** More than this many exchanges at once wait for a free connection. */
const maxSockets = 1024;

/** Kept HTTP/1.1 connections: one for each exchange under way, idle ones are used again. */
export class Http1Lane implements Lane {
  readonly #agent: DialingAgent;
  readonly #server: string;
  #closed = false;

  constructor(first: Socket, options: { server: string; dial: () => Promise<Socket> }) {
    this.#server = options.server;
    this.#agent = new DialingAgent(first, options.dial);
  }

  get usable(): boolean {
    return !this.#closed;
  }

  readonly known = Promise.resolve();

  readonly full = false;

  exchange(request: ApiRequest, path: string): Promise<ApiResponse> {
    const what = `${request.method} ${this.#server}${request.path}`;
    const { signal, body } = request;
    const url = new URL(this.#server);
    return new Promise((resolve, reject) => {
      const outgoing = httpRequest({
        agent: this.#agent,
        host: url.hostname,
        port: url.port,
        path,
        method: request.method,
        headers: {
          host: url.host,
          ...request.headers,
          ...(body !== undefined && { "content-length": Buffer.byteLength(body) }),
        },
      });
      const abort = (): void => {
        outgoing.destroy(signal === undefined ? undefined : abortFailure(signal, what));
      };
      signal?.addEventListener("abort", abort, { once: true });
      const done = (): void => signal?.removeEventListener("abort", abort);
      const fail = (error: unknown): void => {
        done();
        // A connection that failed to open is reported by the dial itself, as a ClientError.
        reject(transportFailure(error, this.#server, "exchange"));
      };
      outgoing.once("error", fail);
      outgoing.once("response", (answer) => {
        outgoing.off("error", fail);
        // Errors after the head reach the reader of the body, who may not have begun.
        outgoing.on("error", () => undefined);
        answer.on("error", () => undefined);
        const headers = nodeHeaders(answer);
        const context = { what, where: this.#server, signal, done };
        resolve({ status: answer.statusCode ?? 0, headers, body: bodyOf(answer, headers, context) });
      });
      outgoing.end(body);
    });
  }

  close(): void {
    this.#closed = true;
    this.#agent.destroy();
  }
}

/** Node's connection pool on top of our own way of connecting. */
class DialingAgent extends Agent {
  readonly #dial: () => Promise<Socket>;
  #first: Socket | undefined;

  constructor(first: Socket, dial: () => Promise<Socket>) {
    super({ keepAlive: true, maxSockets, scheduling: "lifo" });
    this.#dial = dial;
    this.#first = first;
  }

  override createConnection(
    _options: unknown,
    callback: (error: Error | null, socket?: Duplex) => void,
  ): undefined {
    const first = this.#first;
    this.#first = undefined;
    if (first !== undefined && !first.destroyed) {
      callback(null, first);
      return;
    }
    this.#dial().then(
      (socket) => callback(null, socket),
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error))),
    );
  }
}
