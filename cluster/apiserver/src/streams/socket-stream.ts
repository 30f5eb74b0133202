import type { Duplex } from "node:stream";
import { inBackground, type Clock } from "@kedge/machinery";
import { ByteQueue, type OuterStream } from "@kedge/machinery/streams";

/** How long the peer may take to go after our end, before the connection is cut. */
const closePatience = 5_000;

/** What a raw connection needs to become a stream. */
export interface SocketStreamOptions {
  /** What both ends agreed to speak on it. */
  readonly protocol: string;
  /** What was read of it already. */
  readonly head: Uint8Array;
  readonly clock: Clock;
}

/** The bytes of a connection as a stream, in whatever pieces they come. A slow reader holds the peer back. */
export function socketStream(socket: Duplex, { protocol, head, clock }: SocketStreamOptions): OuterStream {
  const inbox = new ByteQueue();
  const gone = new AbortController();
  const closed = Promise.withResolvers<void>();
  const finish = (error?: Error): void => {
    const over = error ?? new Error("the connection is over");
    inbox.end(over);
    gone.abort(over);
    closed.resolve();
  };
  const waitForRoom = async (): Promise<void> => {
    socket.pause();
    await inbox.room();
    socket.resume();
  };
  const take = (piece: Uint8Array): void => {
    inbox.push(piece);
    if (inbox.full && !socket.isPaused()) inBackground(waitForRoom(), () => socket.destroy());
  };
  socket.on("error", finish);
  socket.once("close", () => finish());
  socket.once("end", () => inbox.end());
  if (head.length > 0) take(head);
  socket.on("data", take);
  if (socket.destroyed) finish();
  let isClosing = false;
  const close = async (): Promise<void> => {
    if (!isClosing && !socket.destroyed) {
      isClosing = true;
      const timer = clock.timer(closePatience, () => socket.destroy());
      // It goes when both ends have said all.
      socket.end(() => {
        if (socket.readableEnded) socket.destroy();
        else socket.once("end", () => socket.destroy());
      });
      // What still comes is read and dropped: unread, it would cost the peer what we sent last.
      inbox.discard();
      await closed.promise;
      timer.cancel();
    }
    await closed.promise;
  };
  return {
    protocol,
    gone: gone.signal,
    messages: inbox,
    send(message) {
      return new Promise((resolve, reject) => {
        socket.write(message, (error) => {
          if (error === undefined || error === null) resolve();
          else reject(error);
        });
      });
    },
    close,
    closeWith: close,
  };
}
