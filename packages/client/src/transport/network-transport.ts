import { isIP } from "node:net";
import type { ApiRequest, ApiResponse, Clock, MessageStream, UpgradeRequest } from "@kedge/machinery";
import type { ClientCertificate, ClientConfig, Identity } from "../config/types.ts";
import { ClientError } from "../client-error.ts";
import { dial } from "./dial.ts";
import { abortFailure } from "../failures.ts";
import { Http1Lane } from "./http1-lane.ts";
import { Http2Lane } from "./http2-lane.ts";
import { identityHeaders } from "./identity-headers.ts";
import type { Lane } from "./lane.ts";
import type { Transport } from "./types.ts";
import { untilAborted } from "./until-aborted.ts";
import { openWebSocket } from "./websocket.ts";

/** A connection that is not made within this time counts as unreachable. */
const connectTimeout = 10_000;

/** What a network transport may be told. */
export interface NetworkTransportOptions {
  readonly clock: Clock;
  /** HTTP versions to offer. Default: HTTP/2, then HTTP/1.1. */
  readonly protocols?: readonly ("h2" | "http/1.1")[];
}

/**
 * The network door: kept connections (HTTP/2 where the server offers it), credentials on every request, and one
 * repetition with renewed credentials when the server answers 401.
 */
export class NetworkTransport implements Transport {
  readonly #config: ClientConfig;
  readonly #clock: Clock;
  readonly #protocols: readonly ("h2" | "http/1.1")[];
  readonly #basePath: string;
  readonly #compress: boolean;
  #lanes: Lane[] = [];
  #opening: Promise<Lane> | undefined;
  #certificate: ClientCertificate | undefined;
  #closed = false;

  constructor(config: ClientConfig, options: NetworkTransportOptions) {
    this.#config = config;
    this.#clock = options.clock;
    this.#protocols = options.protocols ?? ["h2", "http/1.1"];
    const url = new URL(config.server);
    this.#basePath = url.pathname.replace(/\/$/, "");
    // Between processes of one machine, deflating costs more than it saves.
    this.#compress = config.disableCompression !== true && !isLoopback(url.hostname);
  }

  async request(request: ApiRequest): Promise<ApiResponse> {
    const identity = await this.#begin(request);
    const answer = await this.#exchange(request, identity);
    if (answer.status !== 401 || !this.#config.credentials.refused(identity)) return answer;
    await discard(answer);
    return this.#exchange(request, await this.#config.credentials.current(request.signal));
  }

  async upgrade(request: UpgradeRequest): Promise<MessageStream | ApiResponse> {
    const identity = await this.#begin(request);
    const answer = await this.#openStream(request, identity);
    if (!("status" in answer) || answer.status !== 401 || !this.#config.credentials.refused(identity))
      return answer;
    await discard(answer);
    return this.#openStream(request, await this.#config.credentials.current(request.signal));
  }

  close(): Promise<void> {
    this.#closed = true;
    for (const lane of this.#lanes) lane.close();
    this.#lanes = [];
    return Promise.resolve();
  }

  /** Whom to be, for a request that may begin. */
  #begin(request: Pick<ApiRequest, "method" | "path" | "signal">): Promise<Identity> {
    const { server, credentials } = this.#config;
    const what = `${request.method} ${server}${request.path}`;
    if (this.#closed) throw new ClientError("UNREACHABLE", `${what}: the transport is closed`);
    if (request.signal?.aborted === true) throw abortFailure(request.signal, what);
    return credentials.current(request.signal);
  }

  async #exchange(request: ApiRequest, identity: Identity): Promise<ApiResponse> {
    const headers = {
      ...(this.#compress && { "accept-encoding": "gzip" }),
      ...request.headers,
      ...identityHeaders(identity, this.#config.impersonate),
    };
    const path = this.#basePath + request.path;
    for (;;) {
      // Found and used in one turn: of all who waited for a lane, only as many as it has room for take it.
      const free = this.#freeLane(identity);
      if (free !== undefined) return free.exchange({ ...request, headers }, path);
      const opened = await this.#opened(identity, request.signal);
      // What cannot be used at once says why, and is not opened again and again.
      if (!opened.usable) return opened.exchange({ ...request, headers }, path);
    }
  }

  #openStream(request: UpgradeRequest, identity: Identity): Promise<MessageStream | ApiResponse> {
    return openWebSocket({
      url: this.#config.server + request.path,
      headers: { ...request.headers, ...identityHeaders(identity, this.#config.impersonate) },
      protocols: request.protocols,
      signal: request.signal,
      clock: this.#clock,
      createConnection: async () => (await this.#dial(identity.clientCertificate, ["http/1.1"])).socket,
    });
  }

  #freeLane(identity: Identity): Lane | undefined {
    this.#retireLanesOfOtherCertificates(identity.clientCertificate);
    return this.#lanes.find((lane) => lane.usable && !lane.full);
  }

  /** One more lane. All who ask while one is being opened wait for the same one. */
  #opened(identity: Identity, signal: AbortSignal | undefined): Promise<Lane> {
    this.#opening ??= this.#openLane(identity.clientCertificate).finally(() => {
      this.#opening = undefined;
    });
    return untilAborted(this.#opening, signal, `connecting to ${this.#config.server}`);
  }

  async #openLane(certificate: ClientCertificate | undefined): Promise<Lane> {
    const { socket, protocol } = await this.#dial(certificate, this.#protocols);
    const server = this.#config.server;
    const again = async () => (await this.#dial(certificate, ["http/1.1"])).socket;
    const lane =
      protocol === "h2"
        ? new Http2Lane(socket, { server, clock: this.#clock })
        : new Http1Lane(socket, { server, dial: again });
    await this.#known(lane);
    this.#lanes = [...this.#lanes.filter((other) => other.usable), lane];
    if (this.#closed) lane.close();
    return lane;
  }

  /** Until the server has said how many exchanges it takes at a time, or not in time: then it is assumed. */
  async #known(lane: Lane): Promise<void> {
    using deadline = this.#clock.deadline(connectTimeout);
    await untilAborted(lane.known, deadline.signal, `settings of ${this.#config.server}`).catch(
      () => undefined,
    );
  }

  async #dial(certificate: ClientCertificate | undefined, protocols: readonly ("h2" | "http/1.1")[]) {
    using deadline = this.#clock.deadline(connectTimeout);
    return await dial({
      config: this.#config,
      clientCertificate: certificate,
      protocols,
      signal: deadline.signal,
    });
  }

  #retireLanesOfOtherCertificates(certificate: ClientCertificate | undefined): void {
    if (certificate?.certificate === this.#certificate?.certificate) return;
    for (const lane of this.#lanes) lane.close();
    this.#lanes = [];
    this.#certificate = certificate;
  }
}

/** Read to its end, a refusal leaves its connection free for the next request. */
async function discard(answer: ApiResponse): Promise<void> {
  for await (const _chunk of answer.body);
}

function isLoopback(hostname: string): boolean {
  return (
    hostname === "localhost" || hostname === "[::1]" || (isIP(hostname) === 4 && hostname.startsWith("127."))
  );
}
