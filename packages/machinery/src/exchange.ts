/** Header names are lower-case; a list stands for a header that is sent more than once. */
export type ApiHeaders = Readonly<Record<string, string | readonly string[]>>;

/** A request to an API server, whichever door it goes through. */
export interface ApiRequest {
  readonly method: string;
  /** Path and query, encoded as on the wire: `/api/v1/pods?limit=500`. */
  readonly path: string;
  readonly headers: ApiHeaders;
  readonly body?: string | Uint8Array | undefined;
  /** The address that it came from, where it came by the network: a server knows. */
  readonly source?: string | undefined;
  /** Aborting it ends the exchange, the streaming of the body included. */
  readonly signal?: AbortSignal | undefined;
}

/** The answer. The body is read once; leaving its iteration early closes the stream. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: ApiHeaders;
  readonly body: AsyncIterable<Uint8Array>;
}

/** The API server's core as its two doors, HTTPS and in-process, see it. */
export type ApiHandler = (request: ApiRequest) => Promise<ApiResponse>;

/**
 * A two-way stream of messages (a WebSocket, or its in-process likeness): exec, attach and port-forward run on it.
 * `messages` ends when the peer closes normally and throws when the connection breaks.
 */
export interface MessageStream {
  /** The subprotocol that both sides agreed on. */
  readonly protocol: string;
  readonly messages: AsyncIterable<Uint8Array>;
  /** Resolves when the message has left our buffers: await it for back-pressure. */
  send(message: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/**
 * A stream to another server that has agreed with the client what is spoken on it: its bytes, and the headers that it
 * agreed with, are for the client as they are.
 */
export interface SwitchedStream extends MessageStream {
  readonly switched: readonly (readonly [name: string, value: string])[];
}

/** A server's end of a message stream: it is known when the client has gone, also while nobody reads. */
export interface ServedStream extends MessageStream {
  readonly gone: AbortSignal;
}

/** A request that asks for a message stream; `protocols` in the order of preference. */
export interface UpgradeRequest extends Omit<ApiRequest, "body"> {
  readonly protocols: readonly string[];
  /**
   * What the connection is to become. With SPDY, messages are its bytes in any pieces, and what is in them is between
   * the client and the node. Default: websocket.
   */
  readonly wire?: "websocket" | "spdy" | undefined;
}

/** Serves message streams; answers an `ApiResponse` when it refuses. */
export type UpgradeHandler = (
  request: UpgradeRequest,
) => Promise<MessageStream | SwitchedStream | ApiResponse>;
