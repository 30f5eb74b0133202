import type { WebSocket } from "ws";

/** Sends one binary message; resolves when it has left our buffers. */
export function sendMessage(webSocket: WebSocket, message: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    webSocket.send(message, { binary: true }, (error) => {
      if (error === undefined || error === null) resolve();
      else reject(error);
    });
  });
}
