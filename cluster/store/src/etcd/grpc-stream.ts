import type {
  ClientHttp2Session,
  ClientHttp2Stream,
  IncomingHttpHeaders,
  IncomingHttpStatusHeader,
  OutgoingHttpHeaders,
} from "node:http2";
import { messageOf } from "@kedge/machinery";
import { GrpcError, grpcCodes } from "./grpc-error.ts";

/** A message may have so many bytes. Etcd refuses requests far below; answers are as large as what was asked for. */
const mostBytes = 256 * 1024 * 1024;

/** Who hears what a call brings. */
export interface GrpcListener {
  readonly onMessage: (message: Uint8Array) => void;
  /** Called once, after the last message; without an error when the other side has ended it well. */
  readonly onEnd: (error: GrpcError | undefined) => void;
}

/** One call of gRPC on a connection of HTTP/2. */
export class GrpcStream {
  readonly #stream: ClientHttp2Stream;
  readonly #listener: GrpcListener;
  #received: Uint8Array[] = [];
  #size = 0;
  #ended = false;
  #trailers: IncomingHttpHeaders | undefined;

  constructor(
    session: ClientHttp2Session,
    path: string,
    options: GrpcListener & { readonly timeout?: number },
  ) {
    this.#listener = options;
    this.#stream = requestOn(session, {
      ":method": "POST",
      ":path": path,
      "content-type": "application/grpc",
      te: "trailers",
      // A member without a leader says so at once, instead of letting us wait.
      hasleader: "true",
      ...(options.timeout !== undefined && { "grpc-timeout": `${Math.ceil(options.timeout)}m` }),
    });
    this.#stream.on("response", (headers) => this.#headers(headers));
    this.#stream.on("trailers", (trailers: IncomingHttpHeaders) => (this.#trailers = trailers));
    this.#stream.on("data", (chunk: Buffer) => this.#data(chunk));
    this.#stream.on("end", () => this.#close());
    this.#stream.on("error", (error: Error) => this.#fail(error));
    this.#stream.on("close", () => this.#close());
  }

  /** Sends a message; `last` ends our side. */
  send(message: Uint8Array, last = false): void {
    const head = Buffer.alloc(5);
    head.writeUInt32BE(message.length, 1);
    const frame = Buffer.concat([head, message]);
    if (this.#stream.destroyed) return;
    if (last) this.#stream.end(frame);
    else this.#stream.write(frame);
  }

  /** Stops reading: the other side waits when the window is full. */
  pause(): void {
    this.#stream.pause();
  }

  resume(): void {
    this.#stream.resume();
  }

  /** Ends it without a word to the listener. */
  cancel(): void {
    this.#ended = true;
    // 8 is CANCEL.
    this.#stream.close(8);
  }

  #headers(headers: IncomingHttpHeaders & IncomingHttpStatusHeader): void {
    const status = headers[":status"];
    // An answer that is only a failure has its trailers for headers.
    if (headers["grpc-status"] !== undefined) this.#trailers = headers;
    else if (status !== 200)
      this.#end(failure(`the server at this address answered ${String(status)}: it is no etcd`, true));
  }

  #data(chunk: Buffer): void {
    this.#received.push(chunk);
    this.#size += chunk.length;
    for (;;) {
      const head = this.#peek(5);
      if (head === undefined || this.#ended) return;
      const length = Buffer.from(head).readUInt32BE(1);
      if (length > mostBytes) {
        this.#end(failure(`a message has ${length} bytes, more than ${mostBytes}`, true));
        this.#stream.close(8);
        return;
      }
      if (this.#size < 5 + length) return;
      const all = this.#whole();
      this.#received = all.length === 5 + length ? [] : [all.subarray(5 + length)];
      this.#size -= 5 + length;
      this.#listener.onMessage(all.subarray(5, 5 + length));
    }
  }

  #peek(length: number): Uint8Array | undefined {
    if (this.#size < length) return undefined;
    const [first] = this.#received;
    if (first !== undefined && first.length >= length) return first.subarray(0, length);
    return this.#whole().subarray(0, length);
  }

  #whole(): Uint8Array {
    const [first] = this.#received;
    if (this.#received.length === 1 && first !== undefined) return first;
    const all = Buffer.concat(this.#received);
    this.#received = [all];
    return all;
  }

  #close(): void {
    const trailers = this.#trailers;
    const code = trailers?.["grpc-status"];
    if (code === undefined) {
      // The end of the data comes before the trailers.
      if (this.#stream.closed || this.#stream.destroyed)
        this.#end(failure("the connection ended before the answer", true));
      return;
    }
    if (code === "0") this.#end(undefined);
    else this.#end(answered(Number(code), String(trailers?.["grpc-message"] ?? "")));
  }

  #fail(cause: Error): void {
    // Of a stream that was refused the other side has seen nothing.
    const refused = /REFUSED_STREAM|GOAWAY_SESSION|INVALID_SESSION/u.test(
      `${"code" in cause ? String(cause.code) : ""} ${cause.message}`,
    );
    this.#end(failure(cause.message, !refused, cause));
  }

  #end(error: GrpcError | undefined): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#listener.onEnd(error);
  }
}

function requestOn(session: ClientHttp2Session, headers: OutgoingHttpHeaders): ClientHttp2Stream {
  try {
    return session.request(headers);
  } catch (error) {
    throw failure(messageOf(error), false);
  }
}

function failure(message: string, mayHaveHappened: boolean, cause?: Error): GrpcError {
  return new GrpcError(grpcCodes.unavailable, message, {
    mayHaveHappened,
    ...(cause !== undefined && { cause }),
  });
}

function answered(code: number, message: string): GrpcError {
  const text = percentDecoded(message);
  // Only what these say may have been done in part; everything else was refused.
  const unclear =
    code === grpcCodes.deadlineExceeded || /timed out|leader changed|stopped|context/u.test(text);
  return new GrpcError(code, text, {
    mayHaveHappened:
      unclear || (code === grpcCodes.unavailable && !/no leader|too many requests/u.test(text)),
  });
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
