import type { Duplex } from "node:stream";
import { inBackground, type Clock } from "@kedge/machinery";
import { ByteQueue } from "@kedge/machinery/streams";
import { FrameReader, FrameWriter, type SpdyFrame } from "./frames.ts";
import type { SpdyHeaders } from "./header-block.ts";
import { SpdyError } from "./spdy-error.ts";

/** One stream that the client has opened. */
export interface SpdyStream {
  readonly id: number;
  readonly headers: SpdyHeaders;
  /** What the client sends; ends when it has sent all, throws when it broke off. */
  readonly data: AsyncIterable<Uint8Array>;
  /** Resolves when it has left our buffers. Rejects when the stream or the connection is over. */
  write(data: Uint8Array): Promise<void>;
  /** No more comes from us. */
  end(): void;
  /** Breaks it off, both ways. */
  reset(): void;
}

/** The server's end of a connection with many streams. */
export interface SpdySession {
  /** Aborted when the connection is over. */
  readonly gone: AbortSignal;
  /** Says good-bye, and waits for the client to go; after some seconds the connection is cut. */
  close(): Promise<void>;
}

/** How a connection is served. */
export interface SpdySessionOptions {
  readonly clock: Clock;
  /** What was read of the connection already. */
  readonly head: Uint8Array;
  /** Called for each stream that the client opens. */
  readonly onStream: (stream: SpdyStream) => void;
}

/** So many streams may be open at once; more are refused, one by one. */
const mostStreams = 1024;

/**
 * So much of one stream waits to be read: beyond it, nothing is read from the connection. Kubernetes' clients know no
 * windows, so there is no other way to hold them back.
 */
const waitingBytes = 1024 * 1024;

/** So much of our answers to control frames waits to be sent: beyond it, nothing is read either. */
const waitingControl = 64 * 1024;

/** Milliseconds between pings: only writing shows that a client has gone while nothing is read from it. */
const pingInterval = 2_000;

/** How long a client may take to go, once it was told. */
const closePatience = 5_000;

const resetStatus = { protocolError: 1, refused: 3, cancel: 5 } as const;

/** Serves SPDY/3.1 on a connection that has just been upgraded. */
export function serveSpdy(socket: Duplex, options: SpdySessionOptions): SpdySession {
  const session = new Session(socket, options);
  inBackground(session.run(options.head), (error) => {
    // What breaks the rules is cut off; the reason is the client's own.
    socket.destroy(error instanceof Error ? error : undefined);
  });
  return session;
}

class Session implements SpdySession {
  readonly #socket: Duplex;
  readonly #options: SpdySessionOptions;
  readonly #frames = new FrameWriter();
  readonly #streams = new Map<number, OpenStream>();
  readonly #gone = new AbortController();
  readonly #closed = Promise.withResolvers<void>();
  /** Control frames that have not left our buffers, and the leaving of the next one. */
  #controlBytes = 0;
  #sent = Promise.withResolvers<void>();
  #lastStream = 0;
  #pings = 0;
  #isLeaving = false;

  constructor(socket: Duplex, options: SpdySessionOptions) {
    this.#socket = socket;
    this.#options = options;
    const beat = (): void => {
      if (this.#socket.writableLength === 0) this.#send(this.#frames.ping((this.#pings += 2)));
      timer = options.clock.timer(pingInterval, beat);
    };
    let timer = options.clock.timer(pingInterval, beat);
    socket.on("error", () => undefined);
    const onClose = (): void => {
      timer.cancel();
      const failure = new SpdyError("the connection is over");
      for (const stream of this.#streams.values()) stream.break(failure);
      this.#streams.clear();
      this.#sent.resolve();
      this.#gone.abort(failure);
      this.#closed.resolve();
    };
    socket.once("close", onClose);
    if (socket.destroyed) onClose();
  }

  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** Reads until the client goes. */
  async run(head: Uint8Array): Promise<void> {
    const reader = new FrameReader();
    await this.#take(reader, head);
    for await (const piece of this.#socket) {
      if (!(piece instanceof Uint8Array)) throw new SpdyError("a connection gave something that is no bytes");
      await this.#take(reader, piece);
    }
    this.#socket.destroy();
  }

  async close(): Promise<void> {
    if (!this.#isLeaving && !this.#socket.destroyed) {
      this.#isLeaving = true;
      for (const stream of this.#streams.values()) stream.drop();
      this.#send(this.#frames.leave(this.#lastStream));
      this.#socket.end();
      const timer = this.#options.clock.timer(closePatience, () => this.#socket.destroy());
      await this.#closed.promise;
      timer.cancel();
    }
    await this.#closed.promise;
  }

  async #take(reader: FrameReader, piece: Uint8Array): Promise<void> {
    for (const frame of reader.read(piece)) {
      // After our good-bye all is read and nothing is heard, so that what we sent last arrives.
      if (!this.#isLeaving) await this.#handle(frame);
      while (this.#controlBytes > waitingControl && !this.#socket.destroyed) await this.#sent.promise;
    }
  }

  async #handle(frame: SpdyFrame): Promise<void> {
    switch (frame.type) {
      case "open":
        this.#open(frame.stream, frame.headers, frame.end);
        return;
      case "data": {
        const stream = this.#streams.get(frame.stream);
        if (stream === undefined) return;
        await stream.receive(frame.data);
        if (frame.end) stream.endOfData();
        return;
      }
      case "headers":
        if (frame.end) this.#streams.get(frame.stream)?.endOfData();
        return;
      case "reset":
        this.#streams.get(frame.stream)?.break(new SpdyError("the client has broken off the stream"));
        this.#streams.delete(frame.stream);
        return;
      case "ping":
        // Its own have odd numbers, and want an answer; the others are answers to ours.
        if (frame.id % 2 === 1) this.#send(this.#frames.ping(frame.id));
        return;
      case "reply":
      case "leave":
        return;
    }
  }

  #open(id: number, headers: SpdyHeaders, isEnded: boolean): void {
    if (id % 2 === 0 || id <= this.#lastStream) throw new SpdyError(`a client cannot open the stream ${id}`);
    this.#lastStream = id;
    if (this.#streams.size >= mostStreams) {
      this.#send(this.#frames.reset(id, resetStatus.refused));
      return;
    }
    const stream = new OpenStream(id, headers, {
      write: (data) => this.#write(id, data),
      end: () => this.#send(this.#frames.end(id)),
      reset: () => this.#send(this.#frames.reset(id, resetStatus.cancel)),
      forget: () => this.#streams.delete(id),
    });
    this.#streams.set(id, stream);
    this.#send(this.#frames.reply(id));
    if (isEnded) stream.endOfData();
    this.#options.onStream(stream);
  }

  async #write(id: number, data: Uint8Array): Promise<void> {
    for (const frame of this.#frames.data(id, data)) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      this.#socket.write(frame, (error) => {
        if (error === undefined || error === null) resolve();
        else reject(error);
      });
      await promise;
    }
  }

  #send(frame: Buffer): void {
    if (!this.#socket.writable) return;
    this.#controlBytes += frame.length;
    this.#socket.write(frame, () => {
      this.#controlBytes -= frame.length;
      this.#sent.resolve();
      this.#sent = Promise.withResolvers();
    });
  }
}

/** What a stream needs of its connection. */
interface Wire {
  write(data: Uint8Array): Promise<void>;
  end(): void;
  reset(): void;
  forget(): void;
}

class OpenStream implements SpdyStream {
  readonly id: number;
  readonly headers: SpdyHeaders;
  readonly #inbox = new ByteQueue(waitingBytes);
  readonly #wire: Wire;
  /** Why nothing can be written any more. */
  #over: Error | undefined;
  #isReceiving = true;

  constructor(id: number, headers: SpdyHeaders, wire: Wire) {
    this.id = id;
    this.headers = headers;
    this.#wire = wire;
  }

  get data(): AsyncIterable<Uint8Array> {
    return this.#inbox;
  }

  async write(data: Uint8Array): Promise<void> {
    if (this.#over !== undefined) throw this.#over;
    await this.#wire.write(data);
  }

  end(): void {
    if (this.#over !== undefined) return;
    this.#over = new SpdyError("the stream has been ended");
    this.#wire.end();
    this.#forgetIfDone();
  }

  reset(): void {
    if (this.#over !== undefined && !this.#isReceiving) return;
    this.#wire.reset();
    this.#wire.forget();
    this.break(new SpdyError("the stream has been broken off"));
  }

  async receive(data: Uint8Array): Promise<void> {
    if (!this.#isReceiving || data.length === 0) return;
    // A copy: the piece it lies in would be kept as a whole otherwise.
    this.#inbox.push(new Uint8Array(data));
    await this.#inbox.room();
  }

  endOfData(): void {
    this.#isReceiving = false;
    this.#inbox.end();
    this.#forgetIfDone();
  }

  /** Nobody is to hear from it any more. */
  break(failure: Error): void {
    this.#over ??= failure;
    this.#isReceiving = false;
    this.#inbox.abort(failure);
  }

  /** What still comes is not wanted. */
  drop(): void {
    this.#isReceiving = false;
    this.#inbox.discard();
  }

  #forgetIfDone(): void {
    if (this.#over !== undefined && !this.#isReceiving) this.#wire.forget();
  }
}
