import { readFile } from "node:fs/promises";
import { connect, type ClientHttp2Session } from "node:http2";
import type { Clock, Timer } from "@kedge/machinery";
import { GrpcError, grpcCodes } from "./grpc-error.ts";

/** Files with the certificates of a connection. They are read for each, so that they can be renewed. */
export interface TlsFiles {
  /** Whom we trust. */
  readonly cafile?: string | undefined;
  /** Who we are, if the server wants to know. */
  readonly certfile?: string | undefined;
  readonly keyfile?: string | undefined;
}

/** So long a member may take to accept a connection, in milliseconds. */
const connectTimeout = 3000;
/** So often a connection in use is asked whether it is there, in milliseconds: etcd takes more for an attack. */
const pingInterval = 10_000;
/** So long it may take to answer that. */
const pingTimeout = 5000;

/** A member of the cluster, and our one connection to it. */
export class Member {
  /** As `host:port`. */
  readonly endpoint: string;
  readonly #tls: TlsFiles | undefined;
  readonly #clock: Clock;
  #session: Promise<ClientHttp2Session> | undefined;
  #opened: ClientHttp2Session | undefined;
  #ping: Timer | undefined;

  constructor(endpoint: string, tls: TlsFiles | undefined, clock: Clock) {
    this.endpoint = endpoint;
    this.#tls = tls;
    this.#clock = clock;
  }

  /** The connection, which is made when there is none. Throws a `GrpcError`: then nothing was sent. */
  session(): Promise<ClientHttp2Session> {
    const session = this.#session ?? this.#connect();
    this.#session = session;
    return session;
  }

  close(): void {
    this.#ping?.cancel();
    this.#opened?.destroy();
    this.#opened = undefined;
    this.#session = undefined;
  }

  async #connect(): Promise<ClientHttp2Session> {
    try {
      const opened = await this.#open();
      this.#opened = opened;
      opened.once("close", () => this.#forget(opened));
      opened.once("goaway", () => this.#forget(opened));
      if (opened.destroyed) throw new Error("it was closed at once");
      this.#schedulePing(opened);
      return opened;
    } catch (error) {
      this.#session = undefined;
      throw new GrpcError(grpcCodes.unavailable, `${this.endpoint}: ${causeOf(error)}`, {
        cause: error,
        mayHaveHappened: false,
      });
    }
  }

  async #open(): Promise<ClientHttp2Session> {
    const secure = this.#tls === undefined ? {} : await readTls(this.#tls);
    const session = connect(`${this.#tls === undefined ? "http" : "https"}://${this.endpoint}`, {
      ...secure,
      settings: { initialWindowSize: 4 * 1024 * 1024, enablePush: false },
    });
    using limit = this.#clock.deadline(connectTimeout);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    session.once("connect", () => resolve());
    // Stays: a connection that breaks later ends its streams, which say so.
    session.on("error", reject);
    session.once("close", () => reject(new Error("the connection was closed")));
    limit.signal.addEventListener("abort", () =>
      reject(new Error(`did not accept a connection in ${connectTimeout} ms`)),
    );
    try {
      await this.#clock.track(promise);
    } catch (error) {
      session.destroy();
      throw error;
    }
    session.setLocalWindowSize(16 * 1024 * 1024);
    return session;
  }

  /** The next call makes a new one. */
  #forget(session: ClientHttp2Session): void {
    if (this.#opened !== session) return;
    this.#ping?.cancel();
    this.#opened = undefined;
    this.#session = undefined;
  }

  /** A machine that is gone says nothing: only this finds out. */
  #schedulePing(session: ClientHttp2Session): void {
    this.#ping?.cancel();
    this.#ping = this.#clock.timer(pingInterval, () => {
      if (session.destroyed) return;
      const limit = this.#clock.timer(pingTimeout, () => session.destroy());
      const isSent = session.ping((error: Error | null) => {
        limit.cancel();
        if (error === null) this.#schedulePing(session);
        else session.destroy();
      });
      if (!isSent) limit.cancel();
    });
  }
}

async function readTls({ cafile, certfile, keyfile }: TlsFiles): Promise<Record<string, Buffer>> {
  const [ca, cert, key] = await Promise.all([cafile, certfile, keyfile].map(read));
  return { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
}

async function read(file: string | undefined): Promise<Buffer | undefined> {
  return file === undefined ? undefined : await readFile(file);
}

/** Node gives several addresses of a name as one error without a text. */
function causeOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(causeOf).join(", ");
  return error instanceof Error ? error.message : String(error);
}
