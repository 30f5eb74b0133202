import type { Clock } from "../time/clock.ts";

/** What is asked of a WebSocket: the names are those of the package `ws`. It must not answer pings by itself. */
export interface PingableSocket {
  readonly readyState: number;
  readonly OPEN: number;
  readonly CLOSED: number;
  /** Bytes that wait to be sent. */
  readonly bufferedAmount: number;
  ping(data: undefined, mask: undefined, done: () => void): void;
  pong(data: Uint8Array, mask: undefined, done: () => void): void;
  on(event: "ping", listener: (data: Uint8Array) => void): unknown;
  once(event: "close", listener: () => void): unknown;
}

/** Milliseconds between pings. */
const interval = 2_000;

/** With more than this waiting to be sent, the peer does not read: its pings are not answered. */
const mostWaiting = 64 * 1024;

/**
 * Finds out that a peer has gone while nothing is read from it, because it sends faster than its messages are worked
 * off: only writing to it shows that. Ends with the WebSocket.
 */
export function keepAlive(socket: PingableSocket, clock: Clock): void {
  const beat = (): void => {
    if (socket.readyState === socket.OPEN && socket.bufferedAmount === 0) {
      socket.ping(undefined, undefined, () => undefined);
    }
    timer = clock.timer(interval, beat);
  };
  let timer = clock.timer(interval, beat);
  socket.on("ping", (data) => {
    if (socket.readyState === socket.OPEN && socket.bufferedAmount <= mostWaiting) {
      socket.pong(data, undefined, () => undefined);
    }
  });
  socket.once("close", () => timer.cancel());
  if (socket.readyState === socket.CLOSED) timer.cancel();
}
