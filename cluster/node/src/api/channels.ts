import { channelProtocol, encodeAll } from "@kedge/machinery";
import type { WebSocket } from "ws";

/** The protocols of exec and attach, the best first. */
export const commandProtocols = [channelProtocol.v5, channelProtocol.v4] as const;

/** Sends data on a channel; resolves when it has left our buffers. */
export async function send(socket: WebSocket, to: number, data: Uint8Array): Promise<void> {
  for (const message of encodeAll(to, data)) await sendMessage(socket, message);
}

async function sendMessage(socket: WebSocket, message: Uint8Array): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.send(message, (error) => {
    if (error === undefined || error === null) resolve();
    else reject(error);
  });
  await promise;
}

/** The bytes of a message, however they came. */
export function bytesOf(message: Buffer | ArrayBuffer | readonly Buffer[]): Buffer {
  if (Buffer.isBuffer(message)) return message;
  return message instanceof ArrayBuffer ? Buffer.from(message) : Buffer.concat(message);
}
