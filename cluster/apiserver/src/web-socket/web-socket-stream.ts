import type { Clock, MessageStream } from "@kedge/machinery";
import { createWebSocketStream, type WebSocket } from "ws";
import { sendMessage } from "./send-message.ts";

/** How long the peer may take to answer our close, before the connection is cut. */
const closePatience = 5_000;

/** Close codes of a peer that has said all it wanted: normal closure, and none given. */
const normalCodes = new Set([1000, 1005]);

/**
 * Makes a message stream of a WebSocket, of either end. Call it in the very turn in which it opened, or messages are
 * lost. A slow reader holds the peer back.
 */
export function webSocketStream(ws: WebSocket, clock: Clock): MessageStream {
  const messages = createWebSocketStream(ws, { readableObjectMode: true });
  const closed = Promise.withResolvers<number>();
  ws.once("close", closed.resolve);
  // Whoever reads the messages gets the error; without a reader it must not end the process.
  messages.on("error", () => undefined);
  return {
    protocol: ws.protocol,
    messages: readMessages(messages, closed.promise),
    send: (message) => sendMessage(ws, message),
    close: async () => {
      const timer = clock.timer(closePatience, () => {
        ws.terminate();
      });
      messages.resume();
      ws.close(1000);
      await clock.track(closed.promise);
      timer.cancel();
    },
  };
}

async function* readMessages(
  messages: AsyncIterable<unknown>,
  closed: Promise<number>,
): AsyncGenerator<Uint8Array> {
  for await (const message of messages) {
    yield typeof message === "string" ? Buffer.from(message) : bytesOf(message);
  }
  const code = await closed;
  if (!normalCodes.has(code)) throw new Error(`the connection was lost: closed with code ${code}`);
}

function bytesOf(message: unknown): Uint8Array {
  if (message instanceof Uint8Array) return message;
  throw new TypeError("a WebSocket gave something that is no message");
}
