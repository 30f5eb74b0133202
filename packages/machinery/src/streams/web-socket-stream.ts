import type { ServedStream } from "../exchange.ts";
import { inBackground } from "../in-background.ts";
import type { Clock } from "../time/clock.ts";
import { ByteQueue } from "./byte-queue.ts";
import { startHeartbeat } from "./heartbeat.ts";

/** The longest message that any end takes, in bytes, as Kubernetes' own servers do. Most have tens of kilobytes. */
export const longestMessage = 32 * 1024 * 1024;

/** How long the peer may take to answer our close, before the connection is cut. */
const closePatience = 5_000;

/** Close codes of a peer that has said all it wanted: normal closure, and none given. */
const normalCodes = new Set([1000, 1005]);

/** What is asked of a WebSocket: the names are those of the package `ws`. */
export interface MessageSocket {
  readonly protocol: string;
  readonly isPaused: boolean;
  on(event: "message", listener: (data: unknown, isBinary: boolean) => void): unknown;
  on(event: "ping" | "pong", listener: () => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  once(event: "close", listener: (code: number, reason: { toString(): string }) => void): unknown;
  send(
    message: Uint8Array,
    options: { readonly binary: boolean },
    done: (error?: Error | null) => void,
  ): unknown;
  ping(): void;
  pause(): void;
  resume(): void;
  close(code: number): void;
  terminate(): void;
}

/** Why nothing can be sent any more, or nothing more comes. */
export type StreamEnd =
  /** The peer has said all it wanted. */
  | { readonly type: "closed" }
  /** The connection broke; `code` is 1006 when no close message came. */
  | { readonly type: "lost"; readonly code: number; readonly reason: string }
  /** The peer does not answer. */
  | { readonly type: "silent" }
  /** What came is not what the protocol allows. */
  | { readonly type: "garbage"; readonly error: Error }
  | { readonly type: "text" }
  /** We closed it ourselves. */
  | { readonly type: "left" }
  /** One message could not be sent. */
  | { readonly type: "unsent"; readonly error: Error };

/** How a WebSocket becomes a message stream. */
export interface WebSocketStreamOptions {
  readonly clock: Clock;
  /** How an end is told to those who read and write. */
  readonly errorOf?: ((end: StreamEnd) => Error) | undefined;
  /** Whether the peer is asked for signs of life while we read: for the end that waits for another's answers. */
  readonly heartbeat?: boolean | undefined;
  /** Whether text is taken, as bytes. */
  readonly takesText?: boolean | undefined;
  /** Whether what is sent is text, for clients that cannot take bytes. */
  readonly sendsText?: boolean | undefined;
}

/** A message stream that knows of its connection. */
export interface WebSocketStream extends ServedStream {
  /** Like `close`, with a code that says why: 1011 is "I have failed". */
  closeWith(code: number): Promise<void>;
  /** Cuts the connection; what waits to be read is dropped, and readers get the failure. */
  cut(failure: Error): void;
}

/**
 * Makes a message stream of a WebSocket, of either end. Call it in the very turn in which it opened, or messages are
 * lost. A slow reader holds the peer back.
 */
export function webSocketStream(socket: MessageSocket, options: WebSocketStreamOptions): WebSocketStream {
  const { clock, errorOf = plainError } = options;
  const inbox = new ByteQueue();
  const gone = new AbortController();
  const closed = Promise.withResolvers<void>();
  /** Why nothing can be sent any more. */
  let over: Error | undefined;

  const cut = (failure: Error): void => {
    over ??= failure;
    inbox.abort(failure);
    heartbeat?.stop();
    socket.terminate();
  };
  const heartbeat =
    options.heartbeat === true
      ? startHeartbeat({
          clock,
          ping: () => socket.ping(),
          isPaused: () => socket.isPaused,
          onDead: () => cut(errorOf({ type: "silent" })),
        })
      : undefined;
  const alive = (): void => heartbeat?.alive();
  const waitForRoom = async (): Promise<void> => {
    socket.pause();
    await inbox.room();
    alive();
    socket.resume();
  };
  socket.on("message", (message, isBinary) => {
    alive();
    if (!(message instanceof Uint8Array) || (!isBinary && options.takesText !== true)) {
      cut(errorOf({ type: "text" }));
      return;
    }
    inbox.push(message);
    if (inbox.full && !socket.isPaused) inBackground(waitForRoom(), () => socket.terminate());
  });
  socket.on("ping", alive);
  socket.on("pong", alive);
  socket.on("error", (error) => cut(errorOf({ type: "garbage", error })));
  socket.once("close", (code, reason) => {
    heartbeat?.stop();
    const isNormal = normalCodes.has(code);
    over ??= errorOf(isNormal ? { type: "closed" } : { type: "lost", code, reason: reason.toString() });
    inbox.end(isNormal ? undefined : over);
    gone.abort(over);
    closed.resolve();
  });

  const closeWith = async (code: number): Promise<void> => {
    if (over === undefined) {
      over = errorOf({ type: "left" });
      heartbeat?.stop();
      const timer = clock.timer(closePatience, () => socket.terminate());
      socket.close(code);
      // This also makes room: the peer's own close must be read, past whatever still comes.
      inbox.discard();
      await closed.promise;
      timer.cancel();
    }
    await closed.promise;
  };
  return {
    protocol: socket.protocol,
    messages: inbox,
    gone: gone.signal,
    cut,
    closeWith,
    close: () => closeWith(1000),
    send(message) {
      if (over !== undefined) return Promise.reject(over);
      return new Promise((resolve, reject) => {
        socket.send(message, { binary: options.sendsText !== true }, (error) => {
          if (error instanceof Error) {
            reject(over ?? errorOf({ type: "unsent", error }));
            return;
          }
          // It has left our buffers, so the peer takes what we send.
          alive();
          resolve();
        });
      });
    },
  };
}

function plainError(end: StreamEnd): Error {
  switch (end.type) {
    case "lost":
      return new Error(`the connection was lost: closed with code ${end.code} ${end.reason}`.trim());
    case "garbage":
    case "unsent":
      return end.error;
    case "closed":
      return new Error("the peer has closed the stream");
    case "silent":
      return new Error("the peer does not answer");
    case "text":
      return new Error("the peer sent a text message, where only binary ones may be");
    case "left":
      return new Error("the stream has been closed");
  }
}
