import type { Socket } from "node:net";
import { inBackground, type Clock, type MessageStream } from "@kedge/machinery";
import type { WebSocket } from "ws";
import { ClientError } from "../client-error.ts";
import { ByteQueue } from "./byte-queue.ts";
import { abortFailure, transportFailure } from "../failures.ts";
import { startHeartbeat } from "./heartbeat.ts";

/** How long the server may take to answer our close, before the connection is cut. */
const closePatience = 5_000;

/** Close codes of a peer that has said all it wanted: normal closure, and none given. */
const normalCodes = new Set([1000, 1005]);

/** What an open WebSocket needs to become a message stream. */
export interface WebSocketStreamOptions {
  readonly socket: Socket;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  /** For messages: `GET https://host/api/…`. */
  readonly what: string;
  readonly where: string;
}

/** Makes a message stream of a WebSocket that has just opened. Call it in the very turn of its `open` event. */
export function webSocketStream(ws: WebSocket, options: WebSocketStreamOptions): MessageStream {
  const { socket, clock, signal, what, where } = options;
  const inbox = new ByteQueue();
  const closed = Promise.withResolvers<void>();
  /** Why nothing can be sent any more. */
  let over: ClientError | undefined;
  let socketError: Error | undefined;

  const cut = (failure: ClientError): void => {
    over ??= failure;
    inbox.abort(failure);
    release();
    ws.terminate();
  };
  const onAbort = (): void => {
    if (signal !== undefined) cut(abortFailure(signal, what));
  };
  const release = (): void => {
    heartbeat.stop();
    signal?.removeEventListener("abort", onAbort);
  };
  const heartbeat = startHeartbeat({
    clock,
    ping: () => ws.ping(),
    isPaused: () => ws.isPaused,
    onDead: () =>
      cut(new ClientError("CONNECTION_LOST", `connection to ${where} was lost: no answer to a ping`)),
  });
  const receive = (message: unknown, isBinary: boolean): void => {
    heartbeat.alive();
    if (!isBinary || !(message instanceof Uint8Array)) {
      cut(
        new ClientError("PROTOCOL", `${what}: the server sent a text message, where only binary ones may be`),
      );
      return;
    }
    inbox.push(message);
    if (inbox.full && !ws.isPaused) inBackground(waitForRoom(), () => ws.terminate());
  };
  const waitForRoom = async (): Promise<void> => {
    ws.pause();
    await inbox.room();
    heartbeat.alive();
    ws.resume();
  };
  const finish = (code: number, reason: Buffer): void => {
    release();
    if (normalCodes.has(code)) {
      over ??= new ClientError("CONNECTION_LOST", `${what}: the server has closed the stream`);
      inbox.end();
    } else {
      over ??= lost(where, socketError, code === 1006 ? "" : `${code} ${reason.toString()}`.trim());
      inbox.end(over);
    }
    closed.resolve();
  };

  socket.once("error", (error) => {
    socketError = error;
  });
  ws.on("message", receive);
  ws.on("ping", heartbeat.alive);
  ws.on("pong", heartbeat.alive);
  ws.on("error", (error) => cut(new ClientError("PROTOCOL", `${what}: ${error.message}`, { cause: error })));
  ws.once("close", finish);
  signal?.addEventListener("abort", onAbort, { once: true });
  if (signal?.aborted === true) onAbort();

  return {
    protocol: ws.protocol,
    messages: inbox,
    send(message) {
      if (over !== undefined) return Promise.reject(over);
      return new Promise((resolve, reject) => {
        ws.send(message, (error) => {
          if (error instanceof Error) {
            reject(over ?? transportFailure(socketError ?? error, where, "exchange"));
            return;
          }
          // It has left our buffers, so the peer takes what we send.
          heartbeat.alive();
          resolve();
        });
      });
    },
    async close() {
      if (over === undefined) {
        over = new ClientError("USAGE", `${what}: the stream has been closed by the caller`);
        heartbeat.stop();
        const timer = clock.timer(closePatience, () => ws.terminate());
        ws.close(1000);
        // This also makes room: the peer's own close must be read, past whatever still comes.
        inbox.discard();
        await closed.promise;
        timer.cancel();
      }
      await closed.promise;
    },
  };
}

function lost(where: string, error: Error | undefined, code: string): ClientError {
  if (error !== undefined) return transportFailure(error, where, "exchange");
  const why = code === "" ? "it was cut without a close message" : `the server closed it with code ${code}`;
  return new ClientError("CONNECTION_LOST", `connection to ${where} was lost: ${why}`);
}
