import type { Socket } from "node:net";
import type { Clock, MessageStream } from "@kedge/machinery";
import { webSocketStream, type StreamEnd } from "@kedge/machinery/streams";
import type { WebSocket } from "ws";
import { ClientError } from "../client-error.ts";
import { abortFailure, transportFailure } from "../failures.ts";

/** What an open WebSocket needs to become a client's message stream. */
export interface ClientStreamOptions {
  readonly socket: Socket;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  /** For messages: `GET https://host/api/…`. */
  readonly what: string;
  readonly where: string;
}

/** Makes a message stream of a WebSocket that has just opened. Call it in the very turn of its `open` event. */
export function clientStream(ws: WebSocket, options: ClientStreamOptions): MessageStream {
  const { socket, clock, signal } = options;
  let socketError: Error | undefined;
  socket.once("error", (error) => {
    socketError = error;
  });
  const errorOf = (end: StreamEnd): ClientError => failureOf(end, socketError, options);
  const stream = webSocketStream(ws, { clock, errorOf, heartbeat: true });
  const onAbort = (): void => {
    if (signal !== undefined) stream.cut(abortFailure(signal, options.what));
  };
  signal?.addEventListener("abort", onAbort, { once: true });
  stream.gone.addEventListener("abort", () => signal?.removeEventListener("abort", onAbort), { once: true });
  if (signal?.aborted === true) onAbort();
  return stream;
}

function failureOf(
  end: StreamEnd,
  socketError: Error | undefined,
  { what, where }: ClientStreamOptions,
): ClientError {
  switch (end.type) {
    case "closed":
      return new ClientError("CONNECTION_LOST", `${what}: the server has closed the stream`);
    case "lost":
      return lost(where, socketError, end.code === 1006 ? "" : `${end.code} ${end.reason}`.trim());
    case "silent":
      return new ClientError("CONNECTION_LOST", `connection to ${where} was lost: no answer to a ping`);
    case "garbage":
      return new ClientError("PROTOCOL", `${what}: ${end.error.message}`, { cause: end.error });
    case "text":
      return new ClientError(
        "PROTOCOL",
        `${what}: the server sent a text message, where only binary ones may be`,
      );
    case "left":
      return new ClientError("USAGE", `${what}: the stream has been closed by the caller`);
    case "unsent":
      return transportFailure(socketError ?? end.error, where, "exchange");
  }
}

function lost(where: string, error: Error | undefined, code: string): ClientError {
  if (error !== undefined) return transportFailure(error, where, "exchange");
  const why = code === "" ? "it was cut without a close message" : `the server closed it with code ${code}`;
  return new ClientError("CONNECTION_LOST", `connection to ${where} was lost: ${why}`);
}
