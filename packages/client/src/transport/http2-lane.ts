import {
  connect,
  constants,
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
} from "node:http2";
import type { Socket } from "node:net";
import type { ApiHeaders, ApiRequest, ApiResponse, Clock, Timer } from "@kedge/machinery";
import { bodyOf } from "./body.ts";
import { abortFailure, transportFailure } from "../failures.ts";
import type { Lane } from "./lane.ts";

/** Go's servers allow 250 streams on a connection; others may allow fewer and say so. */
const assumedStreams = 100;

/** Room for answers under way: a large list must not wait for window updates. */
const streamWindow = 4 << 20;
const connectionWindow = 16 << 20;

/** Silence on a connection with open streams after which we ask whether the peer is alive, and how long we wait. */
const pingAfter = 30_000;
const pingTimeout = 15_000;

/** One HTTP/2 connection, shared by all exchanges. */
export class Http2Lane implements Lane {
  readonly #session: ClientHttp2Session;
  readonly #clock: Clock;
  readonly #server: string;
  readonly known: Promise<void>;
  #streams = 0;
  #closing = false;
  /** What is waited for while there are streams: the next look at the peer, or its answer to a ping. */
  #watch: Timer | undefined;

  constructor(socket: Socket, options: { server: string; clock: Clock }) {
    this.#clock = options.clock;
    this.#server = options.server;
    this.#session = connect(options.server, {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: streamWindow },
    });
    this.#session.once("connect", (session) => {
      session.setLocalWindowSize(connectionWindow);
    });
    this.#session.on("goaway", () => {
      this.#closing = true;
    });
    // Streams report their own errors; without a listener the session's would end the process.
    this.#session.on("error", () => undefined);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.known = promise;
    this.#session.once("close", resolve);
    this.#session.once("remoteSettings", () => {
      // Somebody waits for it until now.
      if (this.#streams === 0) this.#session.unref();
      resolve();
    });
  }

  get usable(): boolean {
    return !this.#closing && !this.#session.closed && !this.#session.destroyed;
  }

  get full(): boolean {
    return this.#streams >= (this.#session.remoteSettings.maxConcurrentStreams ?? assumedStreams);
  }

  exchange(request: ApiRequest, path: string): Promise<ApiResponse> {
    const what = `${request.method} ${this.#server}${request.path}`;
    const { signal, body } = request;
    let stream: ClientHttp2Stream;
    try {
      stream = this.#session.request(
        { ...request.headers, ":method": request.method, ":path": path },
        { endStream: body === undefined },
      );
    } catch (error) {
      return Promise.reject(transportFailure(error, this.#server, "connect"));
    }
    const release = this.#occupy(stream);
    const abort = (): void => {
      stream.close(constants.NGHTTP2_CANCEL);
      stream.destroy(signal === undefined ? undefined : abortFailure(signal, what));
    };
    signal?.addEventListener("abort", abort, { once: true });
    const done = (): void => {
      signal?.removeEventListener("abort", abort);
      release();
    };
    if (body !== undefined) stream.end(body);
    return new Promise((resolve, reject) => {
      const fail = (error?: unknown): void => {
        done();
        reject(
          transportFailure(error ?? new Error("the server closed the stream"), this.#server, "exchange"),
        );
      };
      stream.once("error", fail);
      stream.once("close", fail);
      stream.once("response", (head) => {
        stream.off("error", fail);
        stream.off("close", fail);
        // Errors after the head reach the reader of the body, who may not have begun.
        stream.on("error", () => undefined);
        const headers = headersOf(head);
        const context = { what, where: this.#server, signal, done };
        resolve({ status: head[":status"] ?? 0, headers, body: bodyOf(stream, headers, context) });
      });
    });
  }

  close(): void {
    this.#closing = true;
    if (!this.#session.closed && !this.#session.destroyed) this.#session.close();
  }

  /** Counts a stream in; the connection keeps the process alive, and is watched, only while it has streams. */
  #occupy(stream: ClientHttp2Stream): () => void {
    this.#streams++;
    if (this.#streams === 1) {
      this.#session.ref();
      this.#watchPeer();
    }
    let released = false;
    const release = (): void => {
      if (released) return;
      released = true;
      this.#streams--;
      if (this.#streams > 0) return;
      this.#watch?.cancel();
      if (!this.#session.destroyed) this.#session.unref();
    };
    stream.once("close", release);
    return release;
  }

  /** Pings when nothing was read for a while, and gives the connection up when the peer does not answer. */
  #watchPeer(): void {
    const seen = this.#session.socket.bytesRead;
    this.#watch = this.#clock.timer(pingAfter, () => {
      if (this.#session.destroyed) return;
      if (this.#session.socket.bytesRead === seen) this.#ping();
      else this.#watchPeer();
    });
  }

  #ping(): void {
    const watch = this.#clock.timer(pingTimeout, () => {
      this.#session.destroy(new Error(`no answer to a ping within ${pingTimeout / 1000} s`));
    });
    this.#watch = watch;
    this.#session.ping((error) => {
      watch.cancel();
      if (error === null && this.#streams > 0) this.#watchPeer();
    });
  }
}

function headersOf(head: IncomingHttpHeaders & IncomingHttpStatusHeader): ApiHeaders {
  const headers: Record<string, string | readonly string[]> = {};
  for (const [name, value] of Object.entries(head)) {
    if (!name.startsWith(":") && value !== undefined) headers[name] = value;
  }
  return headers;
}
